internal import Formats
internal import RecordingLibrary

/// The options of `serve` that say which recordings are deleted to make room.
enum RetentionOptions {
  static let options: [Usage.Option] = [
    .value(
      "keep-free", "SIZE|PERCENT", "Deletes the oldest recordings so that so much of the disk stays free: 10G, 15%."),
    .value("max-size", "SIZE", "Deletes the oldest recordings so that all have this size at most: 40G."),
    .value("max-age", "AGE[,CAMERA=AGE…]", "Deletes recordings that are older: 7d, or 7d,rear=3d."),
    .value("keep-at-least", "AGE", default: "1h", "Deletes nothing that is younger, whatever else holds."),
  ]

  static let details = """
    Nothing is ever deleted unless --keep-free, --max-size or --max-age is given, and the file .footage-disk lies in the
    recordings folder, which footage keep --mark-disk puts there: so nothing is deleted on what is there in place of a disk
    that was unmounted. What is protected (footage keep), still recorded or being watched stays. An age is a number with s,
    m, h or d; camera names are percent-encoded.
    """

  static func rules(_ arguments: ParsedArguments) throws(UsageError) -> RetentionRules {
    var rules = RetentionRules()
    if let text = arguments["keep-free"] {
      if text.utf8.last == UInt8(ascii: "%") {
        guard let percent = Int(text.dropLast()), (1...99).contains(percent) else {
          throw UsageError("--keep-free has to be a size such as 10G, or 1% to 99%, and is '\(text)'")
        }
        rules.keepFree = .percent(percent)
      } else {
        rules.keepFree = .bytes(try ByteCount.read(text, option: "keep-free"))
      }
    }
    if let text = arguments["max-size"] { rules.maxSize = try ByteCount.read(text, option: "max-size") }
    for part in arguments["max-age"]?.split(separator: ",", omittingEmptySubsequences: false) ?? [] {
      try take(String(part), &rules)
    }
    if let text = arguments["keep-at-least"] { rules.keepAtLeast = try age(text, "keep-at-least") }
    return rules
  }

  private static func take(_ part: String, _ rules: inout RetentionRules) throws(UsageError) {
    guard let equals = part.utf8.lastIndex(of: UInt8(ascii: "=")) else {
      guard rules.maxAge == nil else { throw UsageError("--max-age says twice how old recordings get") }
      rules.maxAge = try age(part, "max-age")
      return
    }
    guard let bytes = PercentEncoding.decode(part[..<equals].utf8),
      let camera = String(validating: bytes, as: UTF8.self), !camera.isEmpty
    else { throw UsageError("--max-age: '\(part)' names no camera (percent-encoded, as in 7d,rear=3d)") }
    let age = try age(String(part[equals...].dropFirst()), "max-age")
    guard rules.maxAgeByCamera.updateValue(age, forKey: camera) == nil else {
      throw UsageError("--max-age says twice how old recordings of \(camera) get")
    }
  }

  /// In nanoseconds.
  private static func age(_ text: String, _ option: String) throws(UsageError) -> Int64 {
    let second: Int64? =
      switch text.utf8.last {
      case UInt8(ascii: "s"): 1
      case UInt8(ascii: "m"): 60
      case UInt8(ascii: "h"): 3_600
      case UInt8(ascii: "d"): 86_400
      default: nil
      }
    guard let second, let number = Int64(text.dropLast()), number > 0,
      case (let age, false) = number.multipliedReportingOverflow(by: second * 1_000_000_000)
    else { throw UsageError("--\(option) has to be a number with s, m, h or d, such as 7d, and is '\(text)'") }
    return age
  }
}
