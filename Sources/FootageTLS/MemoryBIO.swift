internal import CFootageOpenSSL

/// The BIO between OpenSSL and memory. It reads from the received ciphertext and writes into the loop's record buffer.
enum MemoryBIO {
  /// The only method table, which lives as long as the process.
  ///
  /// Safe to share because it is complete before any other code sees it, and never changes afterwards.
  nonisolated(unsafe) static let method: OpaquePointer? = {
    guard let method = unsafe BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "footage") else { return nil }
    unsafe BIO_meth_set_write(method, write)
    unsafe BIO_meth_set_read(method, read)
    unsafe BIO_meth_set_ctrl(method, control)
    unsafe BIO_meth_set_create(method) { bio in
      unsafe BIO_set_init(bio, 1)
      return 1
    }
    return unsafe method
  }()

  private static let write: @convention(c) (OpaquePointer?, UnsafePointer<CChar>?, CInt) -> CInt = {
    bio, bytes, count in
    guard let bio = unsafe bio, let stream = unsafe stream(of: bio), count > 0 else { return -1 }
    unsafe copenssl_clear_retry(bio)
    if unsafe stream.output.append(UnsafeRawBufferPointer(start: bytes, count: Int(count))) { return count }
    unsafe copenssl_retry_write(bio)
    return -1
  }

  private static let read: @convention(c) (OpaquePointer?, UnsafeMutablePointer<CChar>?, CInt) -> CInt = {
    bio, bytes, room in
    guard let bio = unsafe bio, let stream = unsafe stream(of: bio), room > 0 else { return -1 }
    unsafe copenssl_clear_retry(bio)
    let count = unsafe stream.takeInput(into: UnsafeMutableRawBufferPointer(start: bytes, count: Int(room)))
    if count > 0 { return CInt(count) }
    if stream.hasInputEnded { return 0 }
    unsafe copenssl_retry_read(bio)
    return -1
  }

  private static let control: @convention(c) (OpaquePointer?, CInt, CLong, UnsafeMutableRawPointer?) -> CLong = {
    bio, command, _, _ in
    switch command {
    case BIO_CTRL_FLUSH: 1
    case BIO_CTRL_EOF: unsafe bio.flatMap { unsafe stream(of: $0) }?.hasInputEnded == true ? 1 : 0
    default: 0
    }
  }

  /// Returns the stream of a BIO. Safe because a stream frees its `SSL`, and thus the BIO, before it is freed itself.
  private static func stream(of bio: OpaquePointer) -> TLSStream? {
    guard let data = unsafe BIO_get_data(bio) else { return nil }
    return unsafe Unmanaged<TLSStream>.fromOpaque(data).takeUnretainedValue()
  }
}
