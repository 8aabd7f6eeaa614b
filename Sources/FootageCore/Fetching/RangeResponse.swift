internal import FootageBase

/// What is asked for of a recording, or of a view.
struct RangeRequest: Hashable, Sendable {
  let subject: FetchSubject
  /// Not empty; `UInt64.max` as its end is the recording's.
  let range: Range<UInt64>
  /// The version that is wanted; nil before the first answer.
  let version: RecordingVersion?
  /// Whether `version` is the caller's own and not of an answer: then its length is not known.
  let boundTag: String?

  /// For words.
  var name: String { subject.name }

  /// The tag that the answer's bytes have to be of.
  var tag: String? { version?.tag ?? boundTag }

  /// Everything is asked for without a range: then no server can misunderstand it.
  var isWhole: Bool { range == 0..<UInt64.max && tag == nil }

  /// - Parameter isVersioned: whether the robot serves versions under URLs of their own. Then a version is asked for by
  ///   its own: a cache in between keeps that, and nothing else of a recording.
  func request(isVersioned: Bool) -> MediaRequest {
    let target = subject.target(versioned: isVersioned ? tag : nil)
    return isWhole ? MediaRequest(target) : MediaRequest(target, range: range, ifRange: tag)
  }

  /// Why the whole of a version is of no use to who wants this range.
  func error(for whole: RecordingVersion) -> RobotError {
    isOf(whole.tag)
      ? .malformed("\(name): the whole was sent, and a part from byte \(range.lowerBound) on was asked for")
      : .replaced(name: name)
  }

  fileprivate func isOf(_ served: String) -> Bool { tag.map { $0 == served } ?? true }
}

/// Whether an answer is what was asked for: decided from its head alone, before a byte of it is taken.
enum RangeResponse: Hashable, Sendable {
  /// The bytes are these of the version that was asked for.
  case part(Range<UInt64>, RecordingVersion)
  /// The bytes are the whole of this version, and others were asked for: it is another version, or the server knows no
  /// ranges. They must never be written where the part belongs.
  case whole(RecordingVersion)

  /// - Parameter response: of status 200 or 206.
  init(_ response: MediaResponse, to question: RangeRequest) throws(RobotError) {
    try response.checkEncoding(question.name)
    guard let tag = response.entityTag, !tag.utf8.starts(with: "W/".utf8) else {
      throw .malformed(
        "\(question.name) comes without a strong entity tag, so that nothing tells one version of it from another")
    }
    if response.status == 200 {
      guard let length = response.contentLength else {
        throw .malformed("\(question.name) comes without its length")
      }
      let version = try Self.version(tag, length, question)
      // The whole has in it what begins where it begins.
      let isPart = question.isOf(tag) && question.range.lowerBound == 0
      self = isPart ? .part(question.range.clamped(to: 0..<version.length), version) : .whole(version)
      return
    }
    guard !question.isWhole else { throw .malformed("\(question.name): a part was sent, and the whole was asked for") }
    guard let contentRange = response.contentRange, let range = contentRange.range else {
      throw .malformed("\(question.name): a part without a Content-Range that says which")
    }
    let version = try Self.version(tag, contentRange.length, question)
    if let wanted = question.tag, wanted != tag {
      throw .malformed("\(question.name): a part of version \(tag), and one of \(wanted) was asked for")
    }
    let expected = question.range.clamped(to: 0..<version.length)
    guard range == expected else {
      throw .malformed(
        "\(question.name): \(Self.words(range)) were sent, and \(Self.words(expected)) were asked for")
    }
    if let length = response.contentLength, length != UInt64(range.count) {
      throw .malformed("\(question.name): \(length) bytes for a range of \(range.count)")
    }
    self = .part(range, version)
  }

  /// As HTTP counts them, with the last one.
  private static func words(_ range: Range<UInt64>) -> String {
    range.isEmpty ? "no bytes" : "bytes \(range.lowerBound)-\(range.upperBound - 1)"
  }

  /// The same version cannot have two lengths.
  private static func version(
    _ tag: String, _ length: UInt64, _ question: RangeRequest
  ) throws(RobotError) -> RecordingVersion {
    guard length <= UInt64(Int64.max) else { throw .malformed("\(question.name): a length of \(length) bytes") }
    if let known = question.version, known.tag == tag, known.length != length {
      throw .malformed("\(question.name): \(length) bytes, and \(known.length) before, of the same version \(tag)")
    }
    return RecordingVersion(tag: tag, length: length)
  }
}

extension MediaResponse {
  /// Nobody asked for an encoding (RFC 9110 §12.5.3), and an encoded body is not the recording's bytes, whatever its
  /// range and its length say.
  ///
  /// - Throws: `RobotError.malformed`.
  func checkEncoding(_ name: String) throws(RobotError) {
    guard let contentEncoding else { return }
    let codings = contentEncoding.utf8.split(separator: UInt8(ascii: ","))
    // RFC 9110 §8.4.1: `identity` means none, and should not stand here.
    let isPlain = codings.allSatisfy { coding in
      coding.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }.elementsEqual("identity".utf8)
    }
    guard isPlain else { throw .malformed("\(name) comes encoded ('\(contentEncoding)'), which was not asked for") }
  }
}
