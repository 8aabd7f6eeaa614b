internal import CFootageLinux
internal import Glibc

extension SystemCalls {
  // MARK: Numbers

  /// The error number of `fgetxattr` if there is no such attribute.
  static var noAttribute: CInt { ENODATA }
  static var notSupported: CInt { EOPNOTSUPP }

  static func errorText(_ number: CInt) -> String? {
    // Safe because the string is a constant in the C library that ends with a zero.
    guard let words = unsafe clinux_error_text(number) else { return nil }
    return unsafe String(cString: words)
  }

  // MARK: Files

  static var openForAsking: CInt { CLINUX_O_PATH }

  static func open(_ folder: CInt, _ path: UnsafePointer<CChar>, _ flags: CInt, _ mode: UInt32) -> CInt {
    unsafe clinux_openat(folder, path, flags, mode)
  }

  static func read(_ descriptor: CInt, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
  }

  static func write(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
    unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
  }

  static func readWithoutWaiting(
    _ descriptor: CInt, _ buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) -> Int {
    unsafe clinux_pread_nowait(descriptor, buffer.baseAddress, buffer.count, offset)
  }

  static func copyRange(of source: CInt, at offset: Int64, to target: CInt, count: Int) -> Int {
    var offset = offset
    return unsafe clinux_copy_file_range(source, &offset, target, count)
  }

  static func sync(_ descriptor: CInt) -> CInt { fsync(descriptor) }

  static func syncBytes(_ descriptor: CInt) -> CInt { fdatasync(descriptor) }

  static func fileSystemNumber(_ descriptor: CInt, _ number: UnsafeMutablePointer<UInt64>) -> CInt {
    unsafe clinux_file_system_number(descriptor, number)
  }

  static func modified(_ status: stat) -> timespec { status.st_mtim }

  static func changed(_ status: stat) -> timespec { status.st_ctim }

  // MARK: Names

  static func rename(_ path: UnsafePointer<CChar>, _ target: UnsafePointer<CChar>) -> CInt {
    unsafe Glibc.rename(path, target)
  }

  static func renameWithoutReplacing(_ path: UnsafePointer<CChar>, _ target: UnsafePointer<CChar>) -> CInt {
    unsafe clinux_rename_without_replacing(path, target)
  }

  static func rename(in folder: CInt, _ name: UnsafePointer<CChar>, _ target: UnsafePointer<CChar>) -> CInt {
    unsafe clinux_rename_in(folder, name, target)
  }

  static func link(_ path: UnsafePointer<CChar>, _ other: UnsafePointer<CChar>) -> CInt {
    unsafe Glibc.link(path, other)
  }

  // MARK: Extended attributes

  static func setAttribute(
    _ descriptor: CInt, _ name: UnsafePointer<CChar>, _ value: UnsafeRawPointer, _ count: Int
  ) -> CInt {
    unsafe clinux_set_attribute(descriptor, name, value, count)
  }

  static func attribute(
    _ descriptor: CInt, _ name: UnsafePointer<CChar>, _ value: UnsafeMutableRawPointer, _ capacity: Int
  ) -> Int {
    unsafe clinux_attribute(descriptor, name, value, capacity)
  }

  static func removeAttribute(_ descriptor: CInt, _ name: UnsafePointer<CChar>) -> CInt {
    unsafe clinux_remove_attribute(descriptor, name)
  }

  // MARK: Clocks

  /// A clock that stands still while the machine sleeps.
  static var awakeClock: clockid_t { CLOCK_MONOTONIC }
  /// A clock that continues while the machine sleeps.
  static var uptimeClock: clockid_t { CLOCK_BOOTTIME }
  /// The time of day at the last tick.
  static var coarseClock: clockid_t { CLOCK_REALTIME_COARSE }

  // MARK: Threads

  /// - Parameter start: its reference passes to the thread if the call succeeds.
  /// - Returns: an error number, and the identity of the thread.
  static func createThread(_ start: Unmanaged<ThreadStart>) -> (status: CInt, identity: UInt) {
    var identity = pthread_t()
    // Safe because the thread takes over the one reference that it gets.
    let status = unsafe clinux_create_thread(
      &identity,
      { argument in
        guard let argument = unsafe argument else { return nil }
        let start = unsafe Unmanaged<ThreadStart>.fromOpaque(argument).takeRetainedValue()
        unsafe clinux_name_thread(start.name)
        start.body()
        return nil
      }, start.toOpaque())
    return (status, identity)
  }

  static func join(_ thread: UInt) { pthread_join(thread, nil) }

  static func detach(_ thread: UInt) { pthread_detach(thread) }

  static var currentThread: UInt { pthread_self() }
}
