internal import FootageBase

/// A description of a version's file that lies beside it, so that the version can be recovered if the index is lost.
///
/// The manifest is a text. A complete version has one. A kept version that is incomplete has one as well, for the bytes
/// that are claimed.
package struct VersionManifest: Hashable, Sendable {
  let record: CacheRecord

  /// The beginning of the title in every version of the format.
  static let titlePrefix = "footage-card "
  private static let title = "footage-card 2"
  /// The title of the first format, which has one checksum for each fragment, and no description by the robot.
  private static let firstTitle = "footage-card 1"

  /// - Returns: nil if the version needs no manifest.
  init?(_ record: CacheRecord) {
    guard record.isComplete || (record.isKept && !record.fragments.isEmpty), record.version.isBindable else {
      return nil
    }
    self.record = record
  }

  /// The text of the file: a line for each entry, and a last word whose absence shows that the file was cut off.
  package var text: String {
    var lines = [
      Self.title, "robot \(PercentEncoding.encodePath(record.key.robot))",
      "name \(PercentEncoding.encodePath(record.key.name))", "etag \(record.version.tag)",
      "length \(record.version.length)", "kept \(record.isKept ? 1 : 0)", "used \(record.lastUse)",
      "item \(PercentEncoding.encodePath(record.item ?? ""))",
    ]
    for fragment in record.fragments {
      let blocks = fragment.blocks.map {
        "\($0.range.upperBound - $0.range.lowerBound) \(String($0.checksum, radix: 16))"
      }
      lines.append("fragment \(fragment.range.lowerBound) \(blocks.joined(separator: " "))")
    }
    return (lines + ["end", ""]).joined(separator: "\n")
  }

  /// Reads what `text` wrote, in this or an earlier version of Footage.
  ///
  /// - Parameter stem: the stem of the files that the manifest lies beside.
  /// - Returns: nil if the bytes are not a manifest, or its contents are inconsistent.
  package init?(_ bytes: [UInt8], stem: String) {
    var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }[...]
    guard lines.popLast()?.isEmpty == true, lines.popLast() == "end", let title = lines.popFirst(),
      title == Self.title || title == Self.firstTitle,
      let robot = Self.name("robot", lines.popFirst()), let name = Self.name("name", lines.popFirst()),
      let tag = Self.value("etag", lines.popFirst()),
      let length = Self.value("length", lines.popFirst()).flatMap(UInt64.init),
      let kept = Self.value("kept", lines.popFirst()), kept == "0" || kept == "1",
      let lastUse = Self.value("used", lines.popFirst()).flatMap(Int64.init)
    else { return nil }
    var item = ""
    if title == Self.title {
      guard let said = Self.name("item", lines.popFirst()) else { return nil }
      item = said
    }
    var fragments: [ChecksummedRange] = []
    for line in lines {
      guard let fragment = title == Self.title ? Self.fragment(line) : Self.firstFragment(line),
        fragment.range.lowerBound >= fragments.last?.range.upperBound ?? 0, fragment.range.upperBound <= length
      else { return nil }
      fragments.append(fragment)
    }
    self.init(
      CacheRecord(
        key: RecordingKey(robot: robot, name: name), version: RecordingVersion(tag: tag, length: length), stem: stem,
        isKept: kept == "1", lastUse: lastUse, item: item.isEmpty ? nil : item, fragments: fragments))
  }

  private static func fragment(_ line: String) -> ChecksummedRange? {
    let parts = value("fragment", line)?.split(separator: " ") ?? []
    guard parts.count >= 3, parts.count % 2 == 1, var position = UInt64(parts[0]) else { return nil }
    var blocks: [ChecksummedRange.Block] = []
    for index in stride(from: 1, to: parts.count, by: 2) {
      guard let length = UInt64(parts[index]), length > 0, length <= UInt64(Int64.max), position <= UInt64(Int64.max),
        let checksum = UInt64(parts[index + 1], radix: 16)
      else { return nil }
      blocks.append(ChecksummedRange.Block(range: position..<(position + length), checksum: checksum))
      position += length
    }
    return ChecksummedRange(blocks)
  }

  private static func firstFragment(_ line: String) -> ChecksummedRange? {
    let parts = value("fragment", line)?.split(separator: " ") ?? []
    guard parts.count == 3, let start = UInt64(parts[0]), let end = UInt64(parts[1]), start < end,
      let checksum = UInt64(parts[2], radix: 16)
    else { return nil }
    return ChecksummedRange(start..<end, checksum: checksum)
  }

  private static func name(_ key: String, _ line: String?) -> String? {
    value(key, line).flatMap { PercentEncoding.decode($0.utf8) }.map { String(decoding: $0, as: UTF8.self) }
  }

  private static func value(_ key: String, _ line: String?) -> String? {
    guard let line, line.utf8.starts(with: "\(key) ".utf8) else { return nil }
    return String(line.dropFirst(key.count + 1))
  }
}
