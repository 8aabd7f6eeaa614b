/// Numbers and words in the form in which people read them.
package enum HealthText {
  /// Returns a time like `45 s`, `12 minutes`, `5 hours` or `2.1 days`.
  package static func span(_ seconds: Int64) -> String {
    switch seconds {
    case ..<120: return "\(max(0, seconds)) s"
    case ..<7_200: return "\(seconds / 60) minutes"
    case ..<172_800: return "\(seconds / 3_600) hours"
    default:
      let tenths = seconds / 8_640
      return tenths < 100 ? "\(tenths / 10).\(tenths % 10) days" : "\(tenths / 10) days"
    }
  }

  /// Returns a size like `512 MB` or `1.4 GB`, in powers of ten, as on the labels of disks.
  static func bytes(_ count: UInt64) -> String {
    let units: [(UInt64, String)] = [
      (1_000_000_000_000, "TB"), (1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB"),
    ]
    for (unit, name) in units where count >= unit {
      let tenths = count / (unit / 10)
      return tenths < 100 ? "\(tenths / 10).\(tenths % 10) \(name)" : "\(tenths / 10) \(name)"
    }
    return "\(count) bytes"
  }

  /// Returns a phrase as a sentence, with a capital letter and a period.
  static func sentence(_ words: String) -> String {
    words.prefix(1).uppercased() + words.dropFirst() + (words.utf8.last == UInt8(ascii: ".") ? "" : ".")
  }

  static func recordings(_ count: Int) -> String { count == 1 ? "1 recording" : "\(count) recordings" }
}
