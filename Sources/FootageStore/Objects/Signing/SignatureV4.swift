internal import FootageDigest
internal import FootageBase
internal import FootageAPI

/// AWS's Signature Version 4 of a request, in its `Authorization` field: "Authenticating Requests: Using the
/// Authorization Header" in Amazon S3's API reference. The signature is never put into a URL, because it would remain
/// valid in logs and histories.
struct SignatureV4 {
  /// The parts of a request that are signed.
  struct Request {
    let method: String
    /// The path, percent-encoded once.
    let path: String
    /// The query's parameters, not encoded, in any order.
    let query: [(name: String, value: String)]
    /// The fields: at least `Host` and all that begin with `x-amz-`. Names may be in any case.
    let fields: [(name: String, value: String)]
    /// The SHA-256 of the body, 32 bytes; nil if another signed field identifies the body.
    let payloadDigest: [UInt8]?
  }

  let accessKey: String
  let secret: Secret
  let region: String
  /// The service: `s3`, except in published test vectors for another one.
  var service = "s3"

  /// Returns the text that represents a body, in the field `x-amz-content-sha256` and in the signed text.
  static func payload(_ digest: [UInt8]?) -> String { digest.map { Hexadecimal.encode($0) } ?? "UNSIGNED-PAYLOAD" }

  /// Returns the value of the `Authorization` field.
  func authorization(of request: Request, at moment: SigningMoment) -> String {
    let canonical = CanonicalRequest(request)
    let signature = Hexadecimal.encode(self.signature(of: stringToSign(canonical, at: moment), at: moment))
    return """
      AWS4-HMAC-SHA256 Credential=\(accessKey)/\(scope(at: moment)), SignedHeaders=\(canonical.signedFields), \
      Signature=\(signature)
      """
  }

  /// Returns the text of "Task 2: Create a String to Sign".
  func stringToSign(_ request: CanonicalRequest, at moment: SigningMoment) -> String {
    let digest = Hexadecimal.encode(SHA256.hash(Array(request.text.utf8)))
    return "AWS4-HMAC-SHA256\n\(moment.stamp)\n\(scope(at: moment))\n\(digest)"
  }

  private func scope(at moment: SigningMoment) -> String { "\(moment.day)/\(region)/\(service)/aws4_request" }

  /// Signs a text, as in "Task 3: Calculate Signature". The signing key is valid for a day, a region and a
  /// service.
  private func signature(of text: String, at moment: SigningMoment) -> [UInt8] {
    var key = Array("AWS4".utf8)
    defer { Self.wipe(&key) }
    unsafe secret.withBytes { unsafe key.append(contentsOf: $0) }
    for part in [moment.day, region, service, "aws4_request", text] {
      let next = HMACSHA256.code(of: Array(part.utf8), key: key)
      Self.wipe(&key)
      key = next
    }
    return key
  }

  /// Overwrites bytes that must not appear in a core file.
  private static func wipe(_ bytes: inout [UInt8]) { for index in bytes.indices { bytes[index] = 0 } }
}

/// The result of "Task 1: Create a Canonical Request": the form of a request that both sides compute.
struct CanonicalRequest {
  let text: String
  /// The names of the signed fields, with semicolons between them.
  let signedFields: String

  init(_ request: SignatureV4.Request) {
    var values: [String: [String]] = [:]
    for field in request.fields { values[field.name.lowercased(), default: []].append(Self.folded(field.value)) }
    let names = values.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    signedFields = names.joined(separator: ";")
    let fields = names.map { "\($0):\((values[$0] ?? []).joined(separator: ","))\n" }.joined()
    text = """
      \(request.method)
      \(request.path)
      \(Self.query(request.query))
      \(fields)
      \(signedFields)
      \(SignatureV4.payload(request.payloadDigest))
      """
  }

  /// Returns the query, sorted by encoded names and values. The query is sent in the same form in which it is signed.
  static func query(_ parameters: [(name: String, value: String)]) -> String {
    parameters.map { (PercentEncoding.encodeAll($0.name), PercentEncoding.encodeAll($0.value)) }
      .sorted { first, second in
        first.0 == second.0
          ? first.1.utf8.lexicographicallyPrecedes(second.1.utf8)
          : first.0.utf8.lexicographicallyPrecedes(second.0.utf8)
      }
      .map { "\($0.0)=\($0.1)" }.joined(separator: "&")
  }

  /// Returns a value without blanks at its ends, and with each sequence of blanks replaced by one.
  private static func folded(_ value: String) -> String {
    value.split { $0 == " " || $0 == "\t" }.joined(separator: " ")
  }
}

/// A moment in the form that signatures use.
struct SigningMoment: Hashable {
  /// `20150830`.
  let day: String
  /// `20150830T123600Z`, as in `x-amz-date`.
  let stamp: String

  /// - Parameter unixSeconds: seconds since 1970.
  init(unixSeconds: Int64) {
    let digits = CivilTime(unixSeconds: unixSeconds).rfc3339.filter { $0 != "-" && $0 != ":" }
    day = String(digits.prefix(8))
    stamp = digits
  }
}
