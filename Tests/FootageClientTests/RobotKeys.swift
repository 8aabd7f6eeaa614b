/// The keys of robots, and the checks that impostors get nothing, for connections on every platform.
import LinuxTestSupport
import Testing

@testable import FootageCore

enum RobotKeys {
  /// Returns the pin of a certificate in the test material, as openssl calculates it.
  static func pin(_ name: String) throws -> PublicKeyPin {
    let digest = try Command(
      "sh", "-c",
      "openssl x509 -noout -pubkey | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | openssl base64",
      input: String(decoding: try Material.file("\(name).pem"), as: UTF8.self)
    ).successfulOutput()
    return try #require(PublicKeyPin("sha256/\(digest.filter { !$0.isWhitespace })"))
  }

  static func alice() throws -> IdentitySource { .pkcs12(try Material.file("modern.p12"), passphrase: "open") }

  static func expectNothing(_ visits: [RawServer.Visit], sourceLocation: SourceLocation = #_sourceLocation) {
    // There is only one visit: a connection to an impostor is not retried.
    #expect(visits.count == 1, sourceLocation: sourceLocation)
    for visit in visits {
      #expect(!visit.isAccepted && visit.alert != nil, sourceLocation: sourceLocation)
      #expect(visit.received == [] && visit.clientCertificates == [], sourceLocation: sourceLocation)
    }
  }
}
