internal import FootageBase

/// What a partial file holds: the first so many bytes of one version of one recording.
package struct PartialFileMap: Hashable, Sendable {
  let name: String
  let version: RecordingVersion
  /// Of these it was made sure that they survive a power cut; in bytes, at most the version's length.
  let received: UInt64
  /// Of all of these; nil in a map of an earlier footage.
  let checksums: ChecksummedRange?

  /// What one checksum covers, in bytes: what one damaged byte costs.
  static let blockBytes: UInt64 = 1 << 20

  /// What every version of a title begins with.
  static let titlePrefix = "footage-part "
  private static let title = "footage-part 2"
  /// Without checksums.
  private static let firstTitle = "footage-part 1"

  /// As it stands in the file: a line for each, the last one a word by which a cut shows.
  package var text: String {
    var lines = [
      checksums == nil ? Self.firstTitle : Self.title, "name \(PercentEncoding.encodePath(name))",
      "etag \(version.tag)", "length \(version.length)", "received \(received)",
    ]
    if let checksums {
      lines.append("block \(Self.blockBytes)")
      lines.append("checksums \(checksums.checksums.map { String($0, radix: 16) }.joined(separator: " "))")
    }
    return (lines + ["end", ""]).joined(separator: "\n")
  }

  /// A map that claims nothing. It stands beside a file from its first byte on, and says that the file is a download's.
  static let empty = "\(title)\nend\n"

  init(name: String, version: RecordingVersion, received: UInt64, checksums: ChecksummedRange? = nil) {
    self.name = name
    self.version = version
    self.received = received
    self.checksums = checksums
  }

  /// Reads what `text` wrote, now or in an earlier footage; nil where it is something else.
  package init?(_ bytes: [UInt8]) {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
    let isFirst = lines[0] == Self.firstTitle
    guard lines.count == (isFirst ? 7 : 9), isFirst || lines[0] == Self.title, lines[lines.count - 2] == "end",
      lines[lines.count - 1].isEmpty,
      let name = Self.value("name", lines[1]).flatMap({ PercentEncoding.decode($0.utf8) }),
      let tag = Self.value("etag", lines[2]), let length = Self.value("length", lines[3]).flatMap(UInt64.init),
      let received = Self.value("received", lines[4]).flatMap(UInt64.init), received <= length,
      length <= UInt64(Int64.max), tag.utf8.first == UInt8(ascii: "\"")
    else { return nil }
    var checksums: ChecksummedRange?
    if !isFirst {
      guard let fragment = Self.checksums(of: received, lines[5], lines[6]) else { return nil }
      checksums = fragment
    }
    self.init(
      name: String(decoding: name, as: UTF8.self), version: RecordingVersion(tag: tag, length: length),
      received: received, checksums: checksums)
  }

  private static func checksums(of received: UInt64, _ block: String, _ line: String) -> ChecksummedRange? {
    guard value("block", block).flatMap(UInt64.init) == blockBytes,
      let words = value("checksums", line)?.split(separator: " ")
    else { return nil }
    let checksums = words.compactMap { UInt64($0, radix: 16) }
    let fragment = ChecksummedRange(0..<received, blockBytes: blockBytes, checksums: checksums)
    return checksums.count == words.count && fragment.isSound ? fragment : nil
  }

  private static func value(_ key: String, _ line: String) -> String? {
    line.utf8.starts(with: "\(key) ".utf8) ? String(line.dropFirst(key.count + 1)) : nil
  }
}
