/// Reading PEM texts (RFC 7468), one object after the other.

internal import COpenSSL

enum PEM {
  /// Calls `read` with a memory BIO over the text until it says that nothing more came out.
  ///
  /// - Throws: `TLSError.unreadable` where that was a block that is damaged or cut short, and not the end of the text.
  static func forEach(in text: [UInt8], _ read: (OpaquePointer) -> Bool) throws(TLSError) {
    ErrorQueue.clear()
    // Safe because the BIO only reads the array while the closure runs, and is freed there.
    var reason: CInt = 0
    let opened = unsafe text.withUnsafeBytes { bytes in
      guard let bio = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else { return false }
      while unsafe read(bio) { ErrorQueue.clear() }
      reason = copenssl_error_reason(ERR_peek_last_error())
      unsafe BIO_free(bio)
      return true
    }
    ErrorQueue.clear()
    guard opened else { throw .configuration("no memory for a PEM text") }
    guard reason == 0 || reason == PEM_R_NO_START_LINE else {
      throw .unreadable(what: "PEM text", reason: "a block in it is damaged or cut short: copy it again")
    }
  }
}
