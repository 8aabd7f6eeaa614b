internal import FootageAPI
internal import FootageBase

/// The list as it stands in a file: a line for each recording, and a last line whose absence shows that the file was
/// cut off.
extension ListedRecordings {
  private static let title = "footage-list 1"
  /// The largest size of a file in bytes. A longer file was not written by Footage. If a list would be longer, older
  /// recordings are left out.
  static let longestText = 8 << 20

  var text: [UInt8] {
    var lines: [[UInt8]] = [
      Array("\(Self.title)\nrobot \(PercentEncoding.encodePath(robot))\n".utf8),
      Array("name \(PercentEncoding.encodePath(name ?? ""))\nzone \(PercentEncoding.encodePath(zone ?? ""))\n".utf8),
      Array("listed \(listedAt.map { UnixTimestamp($0).milliseconds } ?? 0)\n".utf8),
    ]
    var room = Self.longestText - lines.reduce(8) { $0 + $1.count }
    for recording in recordings {
      let moment = recording.listedAt.map { UnixTimestamp($0).milliseconds } ?? 0
      // JSON as we write it has no line feed.
      let line = Array("item \(moment) \(recording.keptJSON)\n".utf8)
      room -= line.count
      guard room > 0 else { break }
      lines.append(line)
    }
    return Array(lines.joined()) + Array("end\n".utf8)
  }

  /// Reads what `text` wrote.
  ///
  /// - Returns: nil if the bytes are not a list, or were cut off. Invalid recordings are left out.
  init?(_ bytes: [UInt8]) {
    guard bytes.count <= Self.longestText else { return nil }
    var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
    guard lines.popLast()?.isEmpty == true, lines.popLast()?.elementsEqual("end".utf8) == true,
      lines.popFirst()?.elementsEqual(Self.title.utf8) == true,
      let robot = Self.value("robot", lines.popFirst()).flatMap(Self.decoded), !robot.isEmpty,
      let name = Self.value("name", lines.popFirst()).flatMap(Self.decoded),
      let zone = Self.value("zone", lines.popFirst()).flatMap(Self.decoded),
      let listed = Self.value("listed", lines.popFirst()).flatMap({ Int64(String(decoding: $0, as: UTF8.self)) })
    else { return nil }
    let recordings = lines.prefix(Self.limit).compactMap { line -> RobotRecording? in
      let parts = Self.value("item", line)?.split(separator: UInt8(ascii: " "), maxSplits: 1) ?? []
      guard parts.count == 2, let moment = Int64(String(decoding: parts[0], as: UTF8.self)),
        let json = String(validating: parts[1], as: UTF8.self)
      else { return nil }
      var recording = RobotRecording(itemJSON: json)
      recording?.listedAt = UnixTime(UnixTimestamp(milliseconds: moment))
      return recording
    }
    self.init(
      robot: robot, name: name.isEmpty ? nil : name, zone: zone.isEmpty ? nil : zone,
      listedAt: listed == 0 ? nil : UnixTime(UnixTimestamp(milliseconds: listed)), recordings: recordings)
  }

  private static func value(_ key: String, _ line: ArraySlice<UInt8>?) -> ArraySlice<UInt8>? {
    guard let line, line.starts(with: "\(key) ".utf8) else { return nil }
    return line.dropFirst(key.utf8.count + 1)
  }

  private static func decoded(_ bytes: ArraySlice<UInt8>) -> String? {
    PercentEncoding.decode(bytes).flatMap { String(validating: $0, as: UTF8.self) }
  }
}
