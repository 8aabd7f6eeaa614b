internal import CFootageLinux
internal import Glibc

/// The changes in folders, as the system reports them (man 7 inotify).
package final class FolderChanges: Sendable {
  /// One watched folder. Its number is not reused while the stream lives.
  package struct Watch: Hashable, Sendable { fileprivate let number: CInt }

  package struct Kinds: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let attributes = Kinds(rawValue: UInt32(IN_ATTRIB))
    package static let closedAfterWriting = Kinds(rawValue: UInt32(IN_CLOSE_WRITE))
    package static let created = Kinds(rawValue: UInt32(IN_CREATE))
    package static let deleted = Kinds(rawValue: UInt32(IN_DELETE))
    package static let modified = Kinds(rawValue: UInt32(IN_MODIFY))
    package static let movedHere = Kinds(rawValue: UInt32(IN_MOVED_TO))
    package static let movedAway = Kinds(rawValue: UInt32(IN_MOVED_FROM))
    /// The watched folder itself was deleted or renamed, or its file system unmounted.
    package static let folderGone = Kinds(rawValue: UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT))
    /// The watch has ended.
    package static let ended = Kinds(rawValue: UInt32(IN_IGNORED))
    /// The entry with this name is a folder.
    package static let isFolder = Kinds(rawValue: UInt32(IN_ISDIR))
  }

  package enum Change: Hashable, Sendable {
    /// A change to `name` in the watched folder, or to the folder itself if the name is nil.
    case inFolder(Watch, name: [UInt8]?, Kinds)
    /// The system's queue was full: anything may have happened.
    case overflow
  }

  private let notifications: CInt
  private let wakeUp: WakeUp
  /// The reason why no changes will ever be reported: the user has too many inotify instances. Waiting and waking work
  /// nevertheless.
  package let failure: Errno?

  /// - Throws: `SystemError`: the process has too many open files.
  package init() throws(SystemError) {
    wakeUp = try WakeUp()
    notifications = inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC))
    failure = notifications < 0 ? .current : nil
  }

  deinit { if notifications >= 0 { close(notifications) } }

  /// Watches a folder. A symbolic link as the last part is not followed. Watching a folder twice returns the same
  /// watch.
  ///
  /// - Throws: `Errno`: it does not exist, no permission, too many watches (`.noSpaceLeft`), or `failure`.
  package func watch(folder: String) throws(Errno) -> Watch { try watch(folder: Array(folder.utf8)) }

  /// Watches a folder whose path need not be UTF-8.
  ///
  /// - Parameter path: its bytes, without a terminating zero.
  package func watch(folder path: [UInt8]) throws(Errno) -> Watch {
    if let failure { throw failure }
    let folder = (path + [0]).map { CChar(bitPattern: $0) }
    let mask =
      UInt32(IN_ATTRIB | IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MODIFY | IN_MOVED_FROM | IN_MOVED_TO)
      | UInt32(IN_DELETE_SELF | IN_MOVE_SELF) | UInt32(IN_DONT_FOLLOW | IN_EXCL_UNLINK | IN_ONLYDIR)
    // Safe because the array ends with a zero and outlives the call.
    let number = unsafe inotify_add_watch(notifications, folder, mask)
    guard number >= 0 else { throw .current }
    return Watch(number: number)
  }

  /// Ends a watch; queued changes may still arrive.
  package func end(_ watch: Watch) { _ = inotify_rm_watch(notifications, watch.number) }

  /// Makes the waiting thread return. May be called from any thread.
  package func wake() { wakeUp.signal() }

  /// Blocks until something changes, `wake` is called, or the time is over.
  ///
  /// - Parameters:
  ///   - milliseconds: nil waits forever.
  ///   - onlyForWake: leaves changes in the system's queue, where equal consecutive ones are merged.
  ///   - mounts: also ends the wait when something is mounted or unmounted.
  /// - Returns: true if something was mounted or unmounted since this object was created, or since the last call with
  ///   `mounts`.
  @discardableResult
  package func wait(milliseconds: Int?, onlyForWake: Bool = false, mounts: MountTable? = nil) -> Bool {
    var polled = [
      pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: onlyForWake ? -1 : notifications, events: Int16(POLLIN), revents: 0),
      pollfd(fd: mounts?.descriptor ?? -1, events: Int16(POLLPRI), revents: 0),
    ]
    let timeout = milliseconds.map { CInt(clamping: max(0, $0)) } ?? -1
    let count = unsafe poll(&polled, nfds_t(polled.count), timeout)
    if count > 0, polled[0].revents != 0 { wakeUp.take() }
    return count > 0 && polled[2].revents != 0
  }

  /// Returns the changes since the last call, in order; empty if there are none. Does not wait.
  package func changes() -> [Change] {
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    // Safe because the kernel writes at most the array's count.
    let count = unsafe read(notifications, &buffer, buffer.count)
    guard count > 0 else { return [] }
    return Self.decode(buffer[..<count])
  }

  /// Decodes `struct inotify_event`: watch, mask, cookie and length of the name, each 32 bits in the machine's order,
  /// then the name, padded with zeros.
  private static func decode(_ bytes: ArraySlice<UInt8>) -> [Change] {
    var changes: [Change] = []
    var rest = bytes
    /// Returns a field of 32 bits. The caller has checked that 16 bytes are there.
    func word(_ index: Int) -> UInt32 {
      // Safe because the load is checked against the slice's bounds.
      unsafe rest.withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self) }
    }
    while rest.count >= 16 {
      let watch = Watch(number: CInt(bitPattern: word(0)))
      let mask = word(1)
      let length = Int(word(3))
      guard rest.count >= 16 + length else { break }
      let padded = rest.dropFirst(16).prefix(length)
      let name = padded.prefix { $0 != 0 }
      rest = rest.dropFirst(16 + length)
      if mask & UInt32(IN_Q_OVERFLOW) != 0 {
        changes.append(.overflow)
      } else {
        changes.append(.inFolder(watch, name: name.isEmpty ? nil : Array(name), Kinds(rawValue: mask)))
      }
    }
    return changes
  }
}
