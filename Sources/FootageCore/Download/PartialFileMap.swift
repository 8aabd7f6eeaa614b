internal import FootageBase

/// The content of a partial file: the first bytes of one version of one recording.
package struct PartialFileMap: Hashable, Sendable {
  let name: String
  let version: RecordingVersion
  /// The number of bytes, counted from the file's beginning, that are certain to survive a power cut. It is at most the
  /// version's length.
  let received: UInt64
  /// The checksums of all received bytes; nil in a map of an earlier version of Footage.
  let checksums: ChecksummedRange?

  /// The number of bytes that one checksum covers, and so the number of bytes that one damaged byte costs.
  static let blockBytes: UInt64 = 1 << 20

  /// The text with which the title begins in every version of the format.
  static let titlePrefix = "footage-part "
  private static let title = "footage-part 2"
  /// The title of a map without checksums.
  private static let firstTitle = "footage-part 1"

  /// The map as text: a line for each field, and a last line whose absence shows that the file was cut off.
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

  /// A map without any received bytes. It lies beside the partial file from the first byte on, and marks the file as a
  /// download.
  static let empty = "\(title)\nend\n"

  init(name: String, version: RecordingVersion, received: UInt64, checksums: ChecksummedRange? = nil) {
    self.name = name
    self.version = version
    self.received = received
    self.checksums = checksums
  }

  /// Reads what `text` wrote, now or in an earlier version of Footage; nil if the bytes are not a map.
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
