internal import FootageBase

/// A request for a range of a recording or of a view.
struct RangeRequest: Hashable, Sendable {
  let subject: FetchSubject
  /// The requested range. It is not empty, and the end `UInt64.max` stands for the end of the recording.
  let range: Range<UInt64>
  /// The version that is wanted; nil before the first answer.
  let version: RecordingVersion?
  /// The tag of the version that the caller wants, whose length is not known before the first answer; nil for any
  /// version.
  let boundTag: String?

  /// The name for messages.
  var name: String { subject.name }

  /// The tag of the version that the answer's bytes have to belong to.
  var tag: String? { version?.tag ?? boundTag }

  /// True if the request is for the whole recording, in any version. It then has no `Range`, so that no server can
  /// misunderstand it.
  var isWhole: Bool { range == 0..<UInt64.max && tag == nil }

  /// - Parameter isVersioned: true if the robot serves versions under URLs of their own. A version is then asked for by
  ///   its own URL, since a cache between the robot and the client stores answers only for such URLs.
  func request(isVersioned: Bool) -> MediaRequest {
    let target = subject.target(versioned: isVersioned ? tag : nil)
    return isWhole ? MediaRequest(target) : MediaRequest(target, range: range, ifRange: tag)
  }

  /// Returns the error for a caller that wants this range, but got a version from its first byte to its last.
  func error(for whole: RecordingVersion) -> RobotError {
    isOf(whole.tag)
      ? .malformed("\(name): expected the part from byte \(range.lowerBound) on, received the whole")
      : .replaced(name: name)
  }

  fileprivate func isOf(_ served: String) -> Bool { tag.map { $0 == served } ?? true }
}

/// The result of comparing an answer with its request. The comparison needs only the head of the answer.
enum RangeResponse: Hashable, Sendable {
  /// The bytes are this range of the version that was asked for.
  case part(Range<UInt64>, RecordingVersion)
  /// The bytes are all of this version, although a range was requested. Either it is another version, or the server
  /// does not support ranges. The bytes must never be written where the part belongs.
  case whole(RecordingVersion)

  /// - Parameter response: has status 200 or 206.
  init(_ response: MediaResponse, to question: RangeRequest) throws(RobotError) {
    try response.checkEncoding(question.name)
    guard let tag = response.entityTag, !tag.utf8.starts(with: "W/".utf8) else {
      throw .malformed("\(question.name) has no strong ETag, so its versions cannot be told apart")
    }
    if response.status == 200 {
      guard let length = response.contentLength else {
        throw .malformed("\(question.name) has no Content-Length")
      }
      let version = try Self.version(tag, length, question)
      // The whole can stand in for any part that begins at byte 0.
      let isPart = question.isOf(tag) && question.range.lowerBound == 0
      self = isPart ? .part(question.range.clamped(to: 0..<version.length), version) : .whole(version)
      return
    }
    guard !question.isWhole else { throw .malformed("\(question.name): expected the whole, received a part") }
    guard let contentRange = response.contentRange, let range = contentRange.range else {
      throw .malformed("\(question.name): received a part without a Content-Range")
    }
    let version = try Self.version(tag, contentRange.length, question)
    if let wanted = question.tag, wanted != tag {
      throw .malformed("\(question.name): expected version \(wanted), received version \(tag)")
    }
    let expected = question.range.clamped(to: 0..<version.length)
    guard range == expected else {
      throw .malformed(
        "\(question.name): expected \(Self.words(expected)), received \(Self.words(range))")
    }
    if let length = response.contentLength, length != UInt64(range.count) {
      throw .malformed("\(question.name): the Content-Length is \(length), but the range has \(range.count) bytes")
    }
    self = .part(range, version)
  }

  /// Returns the range as HTTP counts it, with its last byte included.
  private static func words(_ range: Range<UInt64>) -> String {
    range.isEmpty ? "no bytes" : "bytes \(range.lowerBound)-\(range.upperBound - 1)"
  }

  /// Checks that the same version does not have two lengths.
  private static func version(
    _ tag: String, _ length: UInt64, _ question: RangeRequest
  ) throws(RobotError) -> RecordingVersion {
    guard length <= UInt64(Int64.max) else { throw .malformed("\(question.name): invalid length of \(length) bytes") }
    if let known = question.version, known.tag == tag, known.length != length {
      throw .malformed("\(question.name): version \(tag) has \(length) bytes, but had \(known.length) before")
    }
    return RecordingVersion(tag: tag, length: length)
  }
}

extension MediaResponse {
  /// Checks that the body is not encoded. The request did not ask for an encoding (RFC 9110 §12.5.3), and an encoded
  /// body is not the recording's bytes, whatever its range and its length say.
  ///
  /// - Throws: `RobotError.malformed`.
  func checkEncoding(_ name: String) throws(RobotError) {
    guard let contentEncoding else { return }
    let codings = contentEncoding.utf8.split(separator: UInt8(ascii: ","))
    // RFC 9110 §8.4.1: `identity` means no encoding, and should not stand here.
    let isPlain = codings.allSatisfy { coding in
      coding.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }.elementsEqual("identity".utf8)
    }
    guard isPlain else {
      throw .malformed("\(name) has the Content-Encoding '\(contentEncoding)', which was not requested")
    }
  }
}
