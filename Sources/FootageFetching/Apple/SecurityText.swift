internal import Foundation
internal import Security

/// What Security's numbers mean.
enum SecurityText {
  static func of(_ status: OSStatus) -> String {
    guard let words = SecCopyErrorMessageString(status, nil) else { return "error \(status)" }
    return "\(words as String) (\(status))"
  }
}
