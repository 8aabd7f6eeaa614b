internal import CFootageOpenSSL

/// The times in certificates (RFC 5280 §4.1.2.5).
enum ASN1Time {
  /// Returns the seconds since 1970-01-01T00:00:00Z; 0 if the time cannot be read.
  static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64 {
    var days: Int32 = 0
    var rest: Int32 = 0
    // Safe because the time belongs to the caller; the epoch is freed here.
    let epoch = unsafe ASN1_TIME_set(nil, 0)
    defer { unsafe ASN1_TIME_free(epoch) }
    guard unsafe ASN1_TIME_diff(&days, &rest, epoch, time) == 1 else { return 0 }
    return Int64(days) * 86_400 + Int64(rest)
  }
}
