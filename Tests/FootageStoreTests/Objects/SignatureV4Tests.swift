import FootageDigest
import FootageBase
import Testing
import FootageAPI

@testable import FootageStore

/// Published vectors: the examples of Amazon S3's API reference, "Signature Calculations for the Authorization Header",
/// and those cases of AWS's signing test suite that S3 signs in the same way.
@Suite struct SignatureV4Tests {
  struct Vector: Sendable, CustomTestStringConvertible {
    let name: String
    var method = "GET"
    var path = "/"
    var query: [(name: String, value: String)] = []
    var fields: [(name: String, value: String)] = []
    var body = ""
    let signedFields: String
    let signature: String

    var testDescription: String { name }
  }

  private static let emptyDigest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

  static let s3: [Vector] = [
    Vector(
      name: "GET Object", path: "/test.txt",
      fields: [("Range", "bytes=0-9"), ("x-amz-content-sha256", emptyDigest)],
      signedFields: "host;range;x-amz-content-sha256;x-amz-date",
      signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
    Vector(
      name: "PUT Object", method: "PUT", path: "/test%24file.text",
      fields: [
        ("Date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
        ("x-amz-content-sha256", "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072"),
      ], body: "Welcome to Amazon S3.", signedFields: "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
      signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
    Vector(
      name: "GET Bucket Lifecycle", query: [("lifecycle", "")], fields: [("x-amz-content-sha256", emptyDigest)],
      signedFields: "host;x-amz-content-sha256;x-amz-date",
      signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
    Vector(
      name: "GET Bucket (List Objects)", query: [("prefix", "J"), ("max-keys", "2")],
      fields: [("x-amz-content-sha256", emptyDigest)], signedFields: "host;x-amz-content-sha256;x-amz-date",
      signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
  ]

  static let suite: [Vector] = [
    Vector(
      name: "get-vanilla", signedFields: "host;x-amz-date",
      signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
    Vector(
      name: "get-unreserved", path: "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
      signedFields: "host;x-amz-date",
      signature: "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"),
    Vector(
      name: "get-slashes-unnormalized", path: "//example//", signedFields: "host;x-amz-date",
      signature: "87cca117541a147f6df867677d98a7d80dff226d2bfca9e4ffa899665623c7e5"),
    Vector(
      name: "get-vanilla-empty-query-key", query: [("Param1", "value1")], signedFields: "host;x-amz-date",
      signature: "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb"),
    Vector(
      name: "get-vanilla-query-order-key-case", query: [("Param2", "value2"), ("Param1", "value1")],
      signedFields: "host;x-amz-date", signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
    Vector(
      name: "get-vanilla-query-order-encoded",
      query: [("Param-3", "Value3"), ("Param", "Value2"), ("\u{1234}", "Value1")], signedFields: "host;x-amz-date",
      signature: "371d3713e185cc334048618a97f809c9ffe339c62934c032af5a0e595648fcac"),
    Vector(
      name: "get-vanilla-utf8-query", query: [("\u{1234}", "bar")], signedFields: "host;x-amz-date",
      signature: "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"),
    Vector(
      name: "get-header-value-trim", fields: [("My-Header1", " value1"), ("My-Header2", " \"a   b   c\"")],
      signedFields: "host;my-header1;my-header2;x-amz-date",
      signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"),
    Vector(
      name: "get-header-value-order", fields: ["value4", "value1", "value3", "value2"].map { ("My-Header1", $0) },
      signedFields: "host;my-header1;x-amz-date",
      signature: "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01"),
    Vector(
      name: "get-vanilla-with-session-token",
      fields: [("X-Amz-Security-Token", "6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267")],
      signedFields: "host;x-amz-date;x-amz-security-token",
      signature: "07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8"),
    Vector(
      name: "post-header-key-sort", method: "POST", fields: [("My-Header1", "value1")],
      signedFields: "host;my-header1;x-amz-date",
      signature: "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c"),
    Vector(
      name: "post-x-www-form-urlencoded", method: "POST",
      fields: [
        ("Content-Type", "application/x-www-form-urlencoded"), ("Content-Length", "13"),
        ("x-amz-content-sha256", "9095672bbd1f56dfc5b65f3e153adc8731a4a654192329106275f4c7b24d0b6e"),
      ], body: "Param1=value1",
      signedFields: "content-length;content-type;host;x-amz-content-sha256;x-amz-date",
      signature: "d3875051da38690788ef43de4db0d8f280229d82040bfac253562e56c3f20e0b"),
  ]

  @Test(arguments: s3) func `an example of S3's reference has its signature`(vector: Vector) {
    let signature = SignatureV4(
      accessKey: "AKIAIOSFODNN7EXAMPLE", secret: Secret("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
      region: "us-east-1")
    // 2013-05-24T00:00:00Z
    let moment = SigningMoment(unixSeconds: 1_369_353_600)
    #expect(moment.stamp == "20130524T000000Z")
    let authorization = signature.authorization(
      of: Self.request(vector, host: "examplebucket.s3.amazonaws.com", at: moment), at: moment)
    #expect(
      authorization == """
        AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, \
        SignedHeaders=\(vector.signedFields), Signature=\(vector.signature)
        """)
  }

  @Test(arguments: suite) func `a case of the signing suite has its signature`(vector: Vector) {
    let signature = SignatureV4(
      accessKey: "AKIDEXAMPLE", secret: Secret("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"), region: "us-east-1",
      service: "service")
    // 2015-08-30T12:36:00Z
    let moment = SigningMoment(unixSeconds: 1_440_938_160)
    #expect(moment.stamp == "20150830T123600Z")
    let authorization = signature.authorization(
      of: Self.request(vector, host: "example.amazonaws.com", at: moment), at: moment)
    #expect(
      authorization == """
        AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, \
        SignedHeaders=\(vector.signedFields), Signature=\(vector.signature)
        """)
  }

  private static func request(
    _ vector: Vector, host: String, at moment: SigningMoment
  ) -> SignatureV4.Request {
    SignatureV4.Request(
      method: vector.method, path: vector.path, query: vector.query,
      fields: vector.fields + [("X-Amz-Date", moment.stamp), ("Host", host)],
      payloadDigest: SHA256.hash(Array(vector.body.utf8)))
  }

  @Test func `a canonical request is the reference's, line by line`() {
    let moment = SigningMoment(unixSeconds: 1_369_353_600)
    let canonical = CanonicalRequest(
      Self.request(Self.s3[0], host: "examplebucket.s3.amazonaws.com", at: moment))
    #expect(
      canonical.text == """
        GET
        /test.txt

        host:examplebucket.s3.amazonaws.com
        range:bytes=0-9
        x-amz-content-sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
        x-amz-date:20130524T000000Z

        host;range;x-amz-content-sha256;x-amz-date
        e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
        """)
  }

  @Test func `a query is sorted as it is encoded, and slashes and blanks are escaped`() {
    #expect(
      CanonicalRequest.query([("b", "2"), ("a-", "x/y z"), ("a", "+"), ("b", "1"), ("a", "&=")])
        == "a=%26%3D&a=%2B&a-=x%2Fy%20z&b=1&b=2")
    #expect(CanonicalRequest.query([]) == "")
  }
}
