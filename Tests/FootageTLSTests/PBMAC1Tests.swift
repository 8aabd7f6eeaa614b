import Foundation
import LinuxTestSupport
import Testing
import FootageAPI

@testable import FootageTLS

/// An identity whose digest is PBMAC1 (RFC 9579), as OpenSSL 3.4, NSS and recent versions of Java make it. Its
/// passphrase is `pw`.
@Suite struct PBMAC1Tests {
  private static let file = """
    MIIEdwIBAzCCA/IGCSqGSIb3DQEHAaCCA+MEggPfMIID2zCCApIGCSqGSIb3DQEHBqCCAoMwggJ/AgEAMIICeAYJKoZIhvcNAQcBMFcGCSqGSIb3 \
    DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjB5zmpdxBBTgICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEIiLc0a+Pu28hxsInINtnnKAggIQ \
    Bc47BBOpV1KV7v9xs9ZgdeTGd745YtC8FZvWwdN3gSzwXD10qFJUPy9Px8Q8Iuc99AC0BGYThCssrHnUkuCqAyTUBFTbpY+MljfMDsJLkUYcQGNU \
    Zpn93j23+4KMn1du6vmscCYtCuCGee7xCHgPd6oYevzY+/JBIycaBDhq2cF1zwghtTD6z20mtE7jSvZ6WFrN9hjx9stH5wYWJ/xq1EC8AlQQS8wf \
    wzIjEKJxHccsq9qUlCN4LbJ0WHtyffYUXY32XJP2Z6MB51UQl1+6u3PDj/7c3ERZjwHuZdZ7X/MRYu0AzhlREeVk1vj9Lx4mhKc8jj5nujL50/WW \
    S/chQK1rPjus4MbdCxp+tb6TiVOOQ+n3deznmPMvIy9pMfHRkuY2dGYTzDX9PU/OGUjYRPdNy7pwdMImjGPSl7UDtUHXgO377fi71uMpT05DXM9d \
    mXeVgJZ5I8hfUGjPuV1ogupHczqeqWhbjWA5hp2SwNWbREdeHxya5F1SXc25zVv94vS6KWZhRZz+rVtqApDsk3ARuH+wSRa8q0WJ4y+QZc64LPDw \
    NlbPiNHIP0bWDtJtD+kUOS85AUD1i9C9PkqfZMZtiPLH5TzCTBRGA+0mh/naJZNs94XEcgDoeryus6Tymz9Oxig5sTfu7xCZItmUCVSJTrQ5OzFf \
    mVbLicLrdsSsmYJMa092qp7Quu/Ck2STMIIBQQYJKoZIhvcNAQcBoIIBMgSCAS4wggEqMIIBJgYLKoZIhvcNAQwKAQKgge8wgewwVwYJKoZIhvcN \
    AQUNMEowKQYJKoZIhvcNAQUMMBwECJ8WaY1U7UTJAgIIADAMBggqhkiG9w0CCQUAMB0GCWCGSAFlAwQBKgQQ0W0vic4qypRDMMaqpGm4zASBkOSV \
    l/AR7ypkXuZWM6V8lHdOmfa61Pkje7+j3nmD+O/MhCtRUyBT0sfDMbzGA8CvAiLKYnm05JE7uLChm3S2mylCFNS8FDUH4Yulq8C2jQ4rbScnm1nM \
    QQMnyJK/iHH5AwjF1hNO+YbPoD4N9kvSTK4+YZfSHTp45XcL8Oq3uktd4MPDW6gpPNN248ob2y8qTzElMCMGCSqGSIb3DQEJFTEWBBSf8T0sClgm \
    lpZbAIDZppv6Qi5VHzB8MG0wSQYJKoZIhvcNAQUOMDwwLAYJKoZIhvcNAQUMMB8ECMJH588Bs8+JAgIIAAIBIDAMBggqhkiG9w0CCQUAMAwGCCqG \
    SIb3DQIJBQAEIIDHtWNT901IlmIsUedSJOJhwsLAZ++aC/cOJxc75bNFBAhOT1QgVVNFRAIBAQ==
    """

  @Test(arguments: ["pw", "wrong"]) func `a digest that OpenSSL cannot check is named`(_ passphrase: String) throws {
    let bytes = [UInt8](try #require(Data(base64Encoded: Self.file, options: .ignoreUnknownCharacters)))
    let failure: IdentityFailure?
    do throws(IdentityFailure) {
      _ = try Identity.make(.pkcs12(bytes, passphrase: passphrase), now: 0)
      failure = nil
    } catch { failure = error }
    if case .unreadable(let words)? = failure {
      #expect(words.hasPrefix("this OpenSSL (") && words.contains(") cannot check its digest (PBMAC1)"), "\(words)")
    } else {
      // This OpenSSL can check the digest.
      #expect((failure == nil) == (passphrase == "pw") && (failure == nil || failure == .wrongPassphrase))
    }
  }
}
