internal import FootageBase

/// The note that records which version a fetched file is.
extension RecordingVersion {
  /// Returns `LENGTH NAME ETAG`, with the name encoded so that it has no blanks.
  func note(name: String) -> String { "\(length) \(PercentEncoding.encodePath(name)) \(tag)" }

  /// Reads what `note` wrote; nil if the text is not a note, or is about another recording.
  init?(note: String, name: String) {
    let words = note.utf8.split(separator: UInt8(ascii: " "), maxSplits: 2).map { String(Substring($0)) }
    guard words.count == 3, let length = UInt64(words[0]), length <= UInt64(Int64.max),
      words[1] == PercentEncoding.encodePath(name), words[2].utf8.first == UInt8(ascii: "\"")
    else { return nil }
    self.init(tag: words[2], length: length)
  }
}
