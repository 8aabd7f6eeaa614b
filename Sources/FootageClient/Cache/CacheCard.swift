/// What a complete version's file says of itself, so that it outlives the index.

internal import Formats

/// Stands beside the file, in words. Only what is complete has one.
struct CacheCard: Hashable, Sendable {
  /// Complete.
  let record: CacheRecord

  private static let title = "footage-card 1"

  /// - Returns: nil where the version is not complete.
  init?(_ record: CacheRecord) {
    guard record.isComplete, record.version.isBindable else { return nil }
    self.record = record
  }

  /// As it stands in the file: a line for each, the last one a word by which a cut shows.
  var text: String {
    var lines = [
      Self.title, "robot \(PercentEncoding.encodePath(record.key.robot))",
      "name \(PercentEncoding.encodePath(record.key.name))", "etag \(record.version.tag)",
      "length \(record.version.length)", "kept \(record.isKept ? 1 : 0)", "used \(record.lastUse)",
    ]
    for fragment in record.fragments {
      lines.append(
        "fragment \(fragment.range.lowerBound) \(fragment.range.upperBound) \(String(fragment.checksum, radix: 16))")
    }
    return (lines + ["end", ""]).joined(separator: "\n")
  }

  /// Reads what `text` wrote.
  ///
  /// - Parameter stem: of the files that it stands beside.
  /// - Returns: nil where it is something else, or what it says is no complete version.
  init?(_ bytes: [UInt8], stem: String) {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
    guard lines.count >= 9, lines[0] == Self.title, lines[lines.count - 2] == "end", lines[lines.count - 1].isEmpty,
      let robot = Self.name("robot", lines[1]), let name = Self.name("name", lines[2]),
      let tag = Self.value("etag", lines[3]), let length = Self.value("length", lines[4]).flatMap(UInt64.init),
      let kept = Self.value("kept", lines[5]), kept == "0" || kept == "1",
      let lastUse = Self.value("used", lines[6]).flatMap(Int64.init)
    else { return nil }
    var fragments: [Fragment] = []
    for line in lines[7..<(lines.count - 2)] {
      guard let fragment = Self.fragment(line), fragment.range.lowerBound == fragments.last?.range.upperBound ?? 0
      else { return nil }
      fragments.append(fragment)
    }
    guard fragments.last?.range.upperBound == length else { return nil }
    self.init(
      CacheRecord(
        key: RecordingKey(robot: robot, name: name), version: RecordingVersion(tag: tag, length: length), stem: stem,
        isKept: kept == "1", lastUse: lastUse, fragments: fragments))
  }

  private static func fragment(_ line: String) -> Fragment? {
    let parts = value("fragment", line)?.split(separator: " ") ?? []
    guard parts.count == 3, let start = UInt64(parts[0]), let end = UInt64(parts[1]), start < end,
      let checksum = UInt64(parts[2], radix: 16)
    else { return nil }
    return Fragment(start..<end, checksum: checksum)
  }

  private static func name(_ key: String, _ line: String) -> String? {
    value(key, line).flatMap { PercentEncoding.decode($0.utf8) }.map { String(decoding: $0, as: UTF8.self) }
  }

  private static func value(_ key: String, _ line: String) -> String? {
    line.utf8.starts(with: "\(key) ".utf8) ? String(line.dropFirst(key.count + 1)) : nil
  }
}
