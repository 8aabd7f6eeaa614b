internal import CFootageOpenSSL

/// A reader of PEM texts (RFC 7468), one object after another.
enum PEM {
  /// Calls `read` once with a memory BIO over the text, to read a single object.
  static func one(in text: [UInt8], _ read: (OpaquePointer) -> Void) throws(TLSError) {
    _ = unsafe try objects(in: text) { bio in
      unsafe read(bio)
      return false
    }
  }

  /// Calls `read` with a memory BIO over the text until it returns false.
  ///
  /// - Throws: `TLSError.unreadable` if reading stopped at a damaged or truncated block instead of at the end of the
  ///   text.
  static func all(in text: [UInt8], what: String, _ read: (OpaquePointer) -> Bool) throws(TLSError) {
    let reason = unsafe try objects(in: text, read)
    guard reason == 0 || reason == PEM_R_NO_START_LINE else {
      throw .unreadable(what: what, reason: "a block in it is damaged or cut short: copy it again")
    }
  }

  /// - Returns: the reason why OpenSSL stopped reading; 0 if it gave none.
  private static func objects(in text: [UInt8], _ read: (OpaquePointer) -> Bool) throws(TLSError) -> CInt {
    ErrorQueue.clear()
    var reason: CInt = 0
    // Safe because the BIO reads the array only while the closure runs, and is freed there.
    let opened = unsafe text.withUnsafeBytes { bytes in
      guard let bio = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else { return false }
      while unsafe read(bio) { ErrorQueue.clear() }
      reason = copenssl_error_reason(ERR_peek_last_error())
      unsafe BIO_free(bio)
      return true
    }
    ErrorQueue.clear()
    guard opened else { throw .configuration("out of memory for a PEM text") }
    return reason
  }
}
