package import FootageBase

/// Under which name a clip is saved: whose it is, and when it begins.
package enum ClipName {
  /// `robot7_rear_2026-11-20T14-19-30+0100`, without an ending, and without what no file's name may have.
  ///
  /// - Parameters:
  ///   - robot: nil where it has no name.
  ///   - camera: nil where it has none, or all are meant.
  ///   - zone: in which the time stands, with its offset.
  package static func text(robot: String?, camera: String?, from: UnixTimestamp, _ zone: TimeZoneRules) -> String {
    [robot, camera, time(from, zone)].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: "_")
      .filter { $0 != "/" }
  }

  /// The field `Content-Disposition` (RFC 6266), for what is shown in place as well.
  ///
  /// - Parameters:
  ///   - robot: nil where it has no name.
  ///   - zone: in which the time stands, with its offset.
  package static func disposition(robot: String?, camera: String?, from: UnixTimestamp, _ zone: TimeZoneRules) -> String
  {
    let name = text(robot: robot, camera: camera, from: from, zone) + ".mp4"
    let plain = name.unicodeScalars.map { scalar in
      isPlain(scalar) ? Character(scalar) : "-"
    }
    return
      "inline; filename=\"\(String(plain))\"; filename*=UTF-8''\(PercentEncoding.encodePath(name))"
  }

  /// What any file system takes.
  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".", "+": true
    default: false
    }
  }

  /// `2026-11-20T14-19-30+0100`.
  private static func time(_ moment: UnixTimestamp, _ zone: TimeZoneRules) -> String {
    let civil = zone.civilTime(at: moment.seconds)
    let offset = zone.offsetSeconds(at: moment.seconds)
    let minutes = abs(offset) / 60
    func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let time = civil.timeText.map { $0 == ":" ? "-" : String($0) }.joined()
    return "\(civil.dateText)T\(time)\(offset < 0 ? "-" : "+")\(two(minutes / 60))\(two(minutes % 60))"
  }
}
