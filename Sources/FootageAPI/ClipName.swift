package import FootageBase

/// The file name under which a clip is saved: the robot, the camera and the time when the clip begins.
package enum ClipName {
  /// Returns a name like `robot7_rear_2026-11-20T14-19-30+0100`, without an extension and without slashes.
  ///
  /// - Parameters:
  ///   - robot: nil if the robot has no name.
  ///   - camera: nil if the clip has no camera, or is of all cameras.
  ///   - zone: the time zone in which the time is written, with its offset.
  package static func text(robot: String?, camera: String?, from: UnixTimestamp, _ zone: TimeZoneRules) -> String {
    [robot, camera, time(from, zone)].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: "_")
      .filter { $0 != "/" }
  }

  /// Returns the value of the field `Content-Disposition` (RFC 6266). It also suits a clip that a browser shows instead
  /// of saving it.
  ///
  /// - Parameters:
  ///   - robot: nil if the robot has no name.
  ///   - zone: the time zone in which the time is written, with its offset.
  package static func disposition(robot: String?, camera: String?, from: UnixTimestamp, _ zone: TimeZoneRules) -> String
  {
    let name = text(robot: robot, camera: camera, from: from, zone) + ".mp4"
    let plain = name.unicodeScalars.map { scalar in
      isPlain(scalar) ? Character(scalar) : "-"
    }
    return
      "inline; filename=\"\(String(plain))\"; filename*=UTF-8''\(PercentEncoding.encodePath(name))"
  }

  /// Returns true for a character that every file system accepts in a name.
  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".", "+": true
    default: false
    }
  }

  /// Returns the time as `2026-11-20T14-19-30+0100`.
  private static func time(_ moment: UnixTimestamp, _ zone: TimeZoneRules) -> String {
    let civil = zone.civilTime(at: moment.seconds)
    let offset = zone.offsetSeconds(at: moment.seconds)
    let minutes = abs(offset) / 60
    func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let time = civil.timeText.map { $0 == ":" ? "-" : String($0) }.joined()
    return "\(civil.dateText)T\(time)\(offset < 0 ? "-" : "+")\(two(minutes / 60))\(two(minutes % 60))"
  }
}
