internal import FootageBase
internal import FootageLibrary

/// The options of `serve` that select the recordings to delete to make room.
enum RetentionOptions {
  static let options: [Usage.Option] = [
    .value(
      "keep-free", "SIZE|PERCENT", "Deletes the oldest recordings to keep this much of the disk free: 10G, 15%."),
    .value("max-size", "SIZE", "Deletes the oldest recordings when all together exceed this size: 40G."),
    .value("max-age", "AGE[,CAMERA=AGE…]", "Deletes recordings that are older than this: 7d, or 7d,rear=3d."),
    .value(
      "keep-at-least", "AGE", default: "1h",
      "Deletes no recording that is younger than this, whatever other options say; 0s for no minimum."
    ),
    .value(
      "camera-floor", "SIZE[,CAMERA=SIZE…]",
      "Keeps this much of each camera while another camera has more than its own floor: 2G, or 2G,rear=5G."),
    .value(
      "keep-share", "SIZE|PERCENT", default: "25%", "How much of the disk one viewer may protect from deletion."),
  ]

  static let details = """
    Nothing is ever deleted unless --keep-free, --max-size or --max-age is given, and the recordings folder contains the
    file .footage-disk. footage keep --mark-disk creates that file. If the disk is unmounted, the file is missing, so
    nothing is deleted from the folder in its place. Recordings that are protected (footage keep), still being recorded
    or being watched are not deleted. An age is a number with s, m, h or d; camera names are percent-encoded.

    Floors keep one camera that floods the disk from pushing out the others: a camera falls below its floor only when no
    camera has more than its own floor. Floors have no effect on --max-age.
    """

  static func rules(_ arguments: ParsedArguments) throws(UsageError) -> RetentionRules {
    var rules = RetentionRules()
    if let text = arguments["keep-free"] { rules.keepFree = try room(text, "keep-free", 1...99) }
    if let text = arguments["max-size"] { rules.maxSize = try ByteCount.read(text, option: "max-size") }
    for part in arguments["max-age"]?.split(separator: ",", omittingEmptySubsequences: false) ?? [] {
      try take(String(part), &rules)
    }
    if let text = arguments["keep-at-least"] { rules.keepAtLeast = try age(text, "keep-at-least", mayBeZero: true) }
    var hasFloor = false
    for part in arguments["camera-floor"]?.split(separator: ",", omittingEmptySubsequences: false) ?? [] {
      try takeFloor(String(part), &rules, &hasFloor)
    }
    return rules
  }

  /// Returns the share of the disk that one viewer may protect.
  static func keepShare(_ arguments: ParsedArguments) throws(UsageError) -> RetentionRules.Room {
    guard let text = arguments["keep-share"] else { return RetentionRules.usualKeepShare }
    return try room(text, "keep-share", 1...100)
  }

  private static func room(
    _ text: String, _ option: StaticString, _ percents: ClosedRange<Int>
  ) throws(UsageError) -> RetentionRules.Room {
    guard text.utf8.last == UInt8(ascii: "%") else { return .bytes(try ByteCount.read(text, option: option)) }
    guard let percent = Int(text.dropLast()), percents.contains(percent) else {
      throw UsageError(
        "--\(option) must be a size such as 10G, or \(percents.lowerBound)% to \(percents.upperBound)%, not '\(text)'"
      )
    }
    return .percent(percent)
  }

  private static func takeFloor(
    _ part: String, _ rules: inout RetentionRules, _ hasFloor: inout Bool
  ) throws(UsageError) {
    guard let equals = part.utf8.lastIndex(of: UInt8(ascii: "=")) else {
      guard !hasFloor else { throw UsageError("--camera-floor has two sizes for all cameras: give only one") }
      hasFloor = true
      rules.cameraFloor = try ByteCount.read(part, option: "camera-floor")
      return
    }
    let camera = try camera(part[..<equals], of: part, "camera-floor", "2G,rear=5G")
    let floor = try ByteCount.read(String(part[equals...].dropFirst()), option: "camera-floor")
    guard rules.cameraFloorByCamera.updateValue(floor, forKey: camera) == nil else {
      throw UsageError("--camera-floor has two sizes for \(camera): give only one")
    }
  }

  private static func camera(
    _ text: Substring, of part: String, _ option: StaticString, _ example: StaticString
  ) throws(UsageError) -> String {
    guard let bytes = PercentEncoding.decode(text.utf8), let camera = String(validating: bytes, as: UTF8.self),
      !camera.isEmpty
    else { throw UsageError("--\(option): '\(part)' has no valid camera name (percent-encoded, as in \(example))") }
    return camera
  }

  private static func take(_ part: String, _ rules: inout RetentionRules) throws(UsageError) {
    guard let equals = part.utf8.lastIndex(of: UInt8(ascii: "=")) else {
      guard rules.maxAge == nil else { throw UsageError("--max-age has two ages for all cameras: give only one") }
      rules.maxAge = try age(part, "max-age")
      return
    }
    let camera = try camera(part[..<equals], of: part, "max-age", "7d,rear=3d")
    let age = try age(String(part[equals...].dropFirst()), "max-age")
    guard rules.maxAgeByCamera.updateValue(age, forKey: camera) == nil else {
      throw UsageError("--max-age has two ages for \(camera): give only one")
    }
  }

  /// Returns an age in nanoseconds.
  private static func age(_ text: String, _ option: String, mayBeZero: Bool = false) throws(UsageError) -> Int64 {
    let second: Int64? =
      switch text.utf8.last {
      case UInt8(ascii: "s"): 1
      case UInt8(ascii: "m"): 60
      case UInt8(ascii: "h"): 3_600
      case UInt8(ascii: "d"): 86_400
      default: nil
      }
    guard let second, let number = Int64(text.dropLast()), number > 0 || (mayBeZero && number == 0),
      case (let age, false) = number.multipliedReportingOverflow(by: second * 1_000_000_000)
    else { throw UsageError("--\(option) must be a number with s, m, h or d, such as 7d, not '\(text)'") }
    return age
  }
}
