internal import CFootageOpenSSL

/// OpenSSL's error queue, which belongs to the thread: emptied before a call, drained after a failed one.
enum ErrorQueue {
  /// Nearly always it is empty, and that is found out for less than emptying it costs.
  static func clear() {
    if ERR_peek_error() != 0 { ERR_clear_error() }
  }

  /// What went wrong since the last `clear`, oldest first, and an empty queue behind it.
  static func drain() -> String {
    var reasons: [String] = []
    while true {
      let code = ERR_get_error()
      guard code != 0 else { break }
      // Safe because the reason is a constant string of the library.
      if let reason = unsafe ERR_reason_error_string(code) {
        reasons.append(unsafe String(cString: reason))
      } else {
        reasons.append("error \(code)")
      }
    }
    return reasons.isEmpty ? "no reason given" : reasons.joined(separator: "; ")
  }
}
