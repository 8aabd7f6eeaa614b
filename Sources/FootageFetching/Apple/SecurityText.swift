internal import Foundation
internal import Security

/// The texts for Security's status codes.
enum SecurityText {
  static func of(_ status: OSStatus) -> String {
    guard let words = SecCopyErrorMessageString(status, nil) else { return "error \(status)" }
    return "\(words as String) (\(status))"
  }
}
