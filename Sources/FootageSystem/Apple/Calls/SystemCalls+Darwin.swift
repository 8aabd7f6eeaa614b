internal import Darwin

extension SystemCalls {
  // MARK: Numbers

  /// The error number of `fgetxattr` if there is no such attribute.
  static var noAttribute: CInt { ENOATTR }
  /// The error number for an operation that is not supported. On Darwin, unlike on Linux, `EOPNOTSUPP` is another
  /// number, which is meant for sockets.
  static var notSupported: CInt { ENOTSUP }

  static func errorText(_ number: CInt) -> String? {
    var words = [UInt8](repeating: 0, count: 128)
    // Safe because the call terminates its text with a zero within the buffer.
    let status = unsafe words.withUnsafeMutableBytes { buffer in
      unsafe strerror_r(number, buffer.bindMemory(to: CChar.self).baseAddress, buffer.count)
    }
    return status == 0 ? String(decoding: words.prefix { $0 != 0 }, as: UTF8.self) : nil
  }

  // MARK: Files

  static var openForAsking: CInt { O_EVTONLY | O_SYMLINK }

  static func open(_ folder: CInt, _ path: UnsafePointer<CChar>, _ flags: CInt, _ mode: UInt32) -> CInt {
    unsafe openat(folder, path, flags | O_CLOEXEC, mode_t(truncatingIfNeeded: mode))
  }

  static func read(_ descriptor: CInt, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    unsafe Darwin.read(descriptor, buffer.baseAddress, buffer.count)
  }

  static func write(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
    unsafe Darwin.write(descriptor, bytes.baseAddress, bytes.count)
  }

  /// Fails with `EAGAIN`, because Darwin has no such call. The caller then reads on a thread that may block.
  static func readWithoutWaiting(
    _ descriptor: CInt, _ buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) -> Int {
    errno = EAGAIN
    return -1
  }

  /// Fails with `ENOSYS`, because Darwin has no such call for a part of a file. The caller then copies with `pread` and
  /// `write`.
  static func copyRange(of source: CInt, at offset: Int64, to target: CInt, count: Int) -> Int {
    errno = ENOSYS
    return -1
  }

  /// Makes a file durable. On Darwin, `fsync` leaves the bytes in the disk's own cache (man 2 fsync), so it is used
  /// only if the file system does not support `F_FULLFSYNC`; most of these are network file systems.
  static func sync(_ descriptor: CInt) -> CInt {
    guard fcntl(descriptor, F_FULLFSYNC) == -1 else { return 0 }
    return [ENOTSUP, EOPNOTSUPP, ENOTTY, EINVAL, ENODEV, ENOSYS].contains(errno) ? fsync(descriptor) : -1
  }

  static func syncBytes(_ descriptor: CInt) -> CInt { sync(descriptor) }

  static func fileSystemNumber(_ descriptor: CInt, _ number: UnsafeMutablePointer<UInt64>) -> CInt {
    var status = statfs()
    guard unsafe fstatfs(descriptor, &status) == 0 else { return -1 }
    let halves = status.f_fsid.val
    unsafe number.pointee =
      UInt64(UInt32(bitPattern: halves.0)) | UInt64(UInt32(bitPattern: halves.1)) << 32
    return 0
  }

  static func modified(_ status: stat) -> timespec { status.st_mtimespec }

  static func changed(_ status: stat) -> timespec { status.st_ctimespec }

  // MARK: Names

  static func rename(_ path: UnsafePointer<CChar>, _ target: UnsafePointer<CChar>) -> CInt {
    unsafe Darwin.rename(path, target)
  }

  static func renameWithoutReplacing(_ path: UnsafePointer<CChar>, _ target: UnsafePointer<CChar>) -> CInt {
    unsafe rename(in: AT_FDCWD, path, target)
  }

  static func rename(in folder: CInt, _ name: UnsafePointer<CChar>, _ target: UnsafePointer<CChar>) -> CInt {
    guard unsafe renameatx_np(folder, name, folder, target, UInt32(RENAME_EXCL)) != 0 else { return 0 }
    // A file system without this call (FAT, or a network one) returns a number that has another meaning for callers.
    if errno == ENOTSUP { errno = ENOSYS }
    return -1
  }

  static func link(_ path: UnsafePointer<CChar>, _ other: UnsafePointer<CChar>) -> CInt {
    unsafe Darwin.link(path, other)
  }

  // MARK: Extended attributes

  static func setAttribute(
    _ descriptor: CInt, _ name: UnsafePointer<CChar>, _ value: UnsafeRawPointer, _ count: Int
  ) -> CInt {
    unsafe fsetxattr(descriptor, name, value, count, 0, 0)
  }

  static func attribute(
    _ descriptor: CInt, _ name: UnsafePointer<CChar>, _ value: UnsafeMutableRawPointer, _ capacity: Int
  ) -> Int {
    unsafe fgetxattr(descriptor, name, value, capacity, 0, 0)
  }

  static func removeAttribute(_ descriptor: CInt, _ name: UnsafePointer<CChar>) -> CInt {
    unsafe fremovexattr(descriptor, name, 0)
  }

  // MARK: Clocks

  /// A clock that stands still while the machine sleeps (man 3 clock_gettime).
  static var awakeClock: clockid_t { CLOCK_UPTIME_RAW }
  /// A clock that continues while the machine sleeps, unlike `CLOCK_MONOTONIC` on Linux.
  static var uptimeClock: clockid_t { CLOCK_MONOTONIC }
  /// The time of day; there is no cheaper clock.
  static var coarseClock: clockid_t { CLOCK_REALTIME }

  // MARK: Threads

  /// - Parameter start: its reference passes to the thread if the call succeeds.
  /// - Returns: an error number, and the identity of the thread.
  static func createThread(_ start: Unmanaged<ThreadStart>) -> (status: CInt, identity: UInt) {
    var identity: pthread_t?
    var blocked = sigset_t()
    var before = sigset_t()
    // A new thread inherits the signals that its parent has blocked at that moment. Signals for crashes stay unblocked.
    unsafe sigfillset(&blocked)
    for signal in [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP] {
      unsafe sigdelset(&blocked, signal)
    }
    unsafe pthread_sigmask(SIG_SETMASK, &blocked, &before)
    // Safe because the thread takes over the one reference that it gets.
    let status = unsafe pthread_create(
      &identity, nil,
      { argument in
        let start = unsafe Unmanaged<ThreadStart>.fromOpaque(argument).takeRetainedValue()
        _ = unsafe pthread_setname_np(start.name)
        start.body()
        return nil
      }, start.toOpaque())
    unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
    return (status, UInt(bitPattern: identity))
  }

  static func join(_ thread: UInt) {
    guard let thread = unsafe pthread_t(bitPattern: thread) else { return }
    unsafe pthread_join(thread, nil)
  }

  static func detach(_ thread: UInt) {
    guard let thread = unsafe pthread_t(bitPattern: thread) else { return }
    unsafe pthread_detach(thread)
  }

  static var currentThread: UInt { unsafe UInt(bitPattern: pthread_self()) }
}
