internal import CFootageOpenSSL

/// OpenSSL's error queue, which belongs to the thread. It is emptied before a call, and drained after a failed one.
enum ErrorQueue {
  /// Empties the queue. It is nearly always empty, and checking that costs less than emptying it.
  static func clear() {
    if ERR_peek_error() != 0 { ERR_clear_error() }
  }

  /// Returns the errors since the last `clear`, oldest first, and leaves the queue empty.
  static func drain() -> String {
    var reasons: [String] = []
    while true {
      let code = ERR_get_error()
      guard code != 0 else { break }
      // Safe because the reason is a constant string in the library.
      if let reason = unsafe ERR_reason_error_string(code) {
        reasons.append(unsafe String(cString: reason))
      } else {
        reasons.append("error \(code)")
      }
    }
    return reasons.isEmpty ? "no reason given" : reasons.joined(separator: "; ")
  }
}
