internal import FootageHTTP

/// The answer of a store that does not do what was requested: a status and, usually, an `<Error>` document with a code.
struct ErrorAnswer: Hashable {
  /// The status of the response. For an `<Error>` document in a successful response, it is the status of success.
  let status: Int
  /// The code; nil if there is no valid one. An answer to HEAD has no body.
  var code: String?
  var region: String?
  var endpoint: String?

  init(status: Int, code: String? = nil) {
    self.status = status
    self.code = code
  }

  /// - Parameter document: the body of the response, which may be anything.
  init(status: Int, document: [UInt8]) {
    self.init(status: status)
    guard let root = try? XMLElement(parsing: document) else { return }
    self.init(status: status, root)
  }

  /// - Parameter root: ignored unless it is an `<Error>`.
  init(status: Int, _ root: XMLElement) {
    self.init(status: status)
    guard root.name == Self.elementName else { return }
    code = Self.word(root["Code"])
    region = Self.word(root["Region"])
    endpoint = Self.word(root["Endpoint"])
  }

  static let elementName = "Error"

  /// Returns the text of an element, but only if it is short and plain. The text is untrusted, and messages in answers
  /// are never shown.
  private static func word(_ element: XMLElement?) -> String? {
    guard let text = element?.text, isWord(text) else { return nil }
    return text
  }

  /// Returns true for letters, digits, dots and hyphens, possibly with a port.
  static func isWord(_ text: String) -> Bool {
    (1...253).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
          UInt8(ascii: ":"):
          true
        default: false
        }
      }
  }

  /// The words for people: the code, or else the status.
  var words: String { code ?? "status \(status)" }

  /// True if the store reports that this machine's clock is wrong.
  var isAboutTime: Bool { code == "RequestTimeTooSkewed" }

  /// Returns the failure as one of the reasons that callers distinguish.
  ///
  /// - Parameter location: for a redirect, the host in the `Location` field.
  func reason(location: String? = nil) -> ObjectStoreError.Reason {
    if let code, let known = Self.reason(ofCode: code, region: region, location: endpoint ?? location) { return known }
    switch status {
    case 300..<400: return .redirect(to: endpoint ?? location)
    case 401, 403: return .denied(.credentials(words))
    case 404: return .notFound
    case 408, 425, 429: return .away(words)
    case 409: return .conflict
    case 412: return .preconditionFailed
    case 413, 507: return .full(words)
    case 416: return .untrusted(.bytes("the object is shorter than the requested range"))
    case 501: return .notImplemented
    case 500...: return .away(words)
    default: return .refused(words)
    }
  }

  /// Returns the reason for an error code that says more than the HTTP status, or that is used with several statuses.
  /// They are from "Error responses" in Amazon S3's API reference; `QuotaExceeded` is Ceph's, with 403.
  private static func reason(
    ofCode code: String, region: String?, location: String?
  ) -> ObjectStoreError.Reason? {
    switch code {
    case "InternalError", "ServiceUnavailable", "SlowDown", "RequestTimeout", "OperationAborted", "Throttling",
      "ThrottlingException", "503":
      return .away(code)
    case "AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken",
      "AccountProblem", "AllAccessDisabled", "NotSignedUp", "InvalidSecurity":
      return .denied(.credentials(code))
    case "RequestTimeTooSkewed": return .denied(.clock)
    case "NoSuchBucket", "InvalidBucketName": return .denied(.noBucket)
    case "AuthorizationHeaderMalformed", "AuthorizationQueryParametersError":
      return region.map { .denied(.otherRegion($0)) } ?? .denied(.credentials(code))
    case "PermanentRedirect", "TemporaryRedirect", "Redirect": return .redirect(to: location)
    case "QuotaExceeded", "EntityTooLarge", "InsufficientStorage", "XMinioStorageFull": return .full(code)
    case "BadDigest", "XAmzContentSHA256Mismatch", "InvalidDigest": return .untrusted(.digestRefused)
    case "PreconditionFailed": return .preconditionFailed
    case "ConditionalRequestConflict": return .conflict
    case "NotImplemented": return .notImplemented
    case "NoSuchKey", "NoSuchUpload": return .notFound
    case "InvalidRange": return .untrusted(.bytes("the object is shorter than the requested range"))
    default: return nil
    }
  }
}
