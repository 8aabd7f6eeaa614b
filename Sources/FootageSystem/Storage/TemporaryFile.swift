internal import FootageBase
internal import Synchronization

/// A file that no other program sees yet: it is written and synced under a dot name, and then gets its real name in one
/// step.
///
/// It is removed if this object is released before it gets that name. A killed process leaves the dot name behind.
package final class TemporaryFile {
  /// The beginning of every dot name, by which the files of killed processes are recognized and swept.
  package static let namePrefix = ".footage-partial-"

  /// The path of the file until it gets its real name.
  package let path: String
  private let descriptor: FileDescriptor
  /// The open folder in which it was created; nil if it was created by the path of its folder.
  private let folder: OpenFolder?
  private var isNamed = false

  private static let serial = Atomic<UInt64>(0)

  /// Creates an empty file with a fresh dot name in `folder`, locked for as long as this object lives.
  /// Calls `openat` and `flock`; may block.
  ///
  /// - Throws: `StorageError`: no such folder, no permission, no room.
  package init(in folder: String) throws(StorageError) {
    var path = ""
    descriptor = try Self.create(in: folder, at: &path) { (name) throws(Errno) in
      try .open("\(folder)/\(name)", Self.opening, mode: Self.mode)
    } look: { (name) throws(Errno) in
      _ = try FileStatus.of(name: "\(folder)/\(name)", followingLinks: false)
    }
    self.path = path
    self.folder = nil
  }

  /// Creates the file in an open folder: it is created, named and removed in that folder, even if another one takes the
  /// folder's path. Only `rename(inFolder:)` can name it.
  ///
  /// - Throws: `StorageError`: no permission, no room.
  package init(in folder: OpenFolder) throws(StorageError) {
    var path = ""
    descriptor = try Self.create(in: folder.path, at: &path) { (name) throws(Errno) in
      try folder.descriptor.open(name, Self.opening, mode: Self.mode)
    } look: { (name) throws(Errno) in
      _ = try folder.descriptor.status(of: name)
    }
    self.path = path
    self.folder = folder
  }

  /// Creates a file with a fresh name and locks it, which tells a sweep that the file is still needed. On a file system
  /// without locks nothing is swept.
  ///
  /// - Parameters:
  ///   - path: becomes the path of the file.
  ///   - look: fails with `.notFound` if a name is gone.
  private static func create(
    in folder: String, at path: inout String, _ open: (String) throws(Errno) -> FileDescriptor,
    look: (String) throws(Errno) -> Void
  ) throws(StorageError) -> FileDescriptor {
    while true {
      let name = freshName()
      path = "\(folder)/\(name)"
      do throws(Errno) {
        let descriptor = try open(name)
        // A sweep that came between the two calls removes the file, and another name is needed: it has the lock now, or
        // has removed the name before it released the lock.
        do throws(Errno) { try descriptor.lock() } catch { guard error != .wouldBlock else { continue } }
        do throws(Errno) { try look(name) } catch { guard error != .notFound else { continue } }
        return descriptor
      } catch {
        guard error == .alreadyExists else { throw StorageError("create", path, .system(error)) }
      }
    }
  }

  private static let opening: FileDescriptor.Opening = [.reading, .writing, .creating, .exclusively, .refusingLink]
  private static let mode: UInt32 = 0o644

  private static func freshName() -> String {
    "\(namePrefix)\(Process.identifier)-\(serial.wrappingAdd(1, ordering: .relaxed).newValue)"
  }

  deinit {
    guard !isNamed else { return }
    if let folder { try? folder.remove(FileTree.name(of: path)) } else { try? FileNames.remove(path) }
  }

  /// Appends the bytes. May block.
  package func write(_ bytes: [UInt8]) throws(StorageError) {
    // Safe because the buffer belongs to the array.
    try unsafe bytes.borrowedSpan.withUnsafeBytes { (bytes) throws(StorageError) in
      try StorageError.of("write", path) { () throws(Errno) in unsafe try descriptor.write(bytes) }
    }
  }

  /// Appends a range of another file, without copying it through this process if the file system can do so. Calls
  /// `copy_file_range`, otherwise `pread` and `write`; may block.
  ///
  /// - Throws: `StorageError`, also if `source` ends before the range does.
  package func append(_ range: Range<UInt64>, of source: RandomAccessFile) throws(StorageError) {
    var offset = range.lowerBound
    while offset < range.upperBound {
      let wanted = Int(min(range.upperBound - offset, 1 << 30))
      let count = try StorageError.of("copy to \(path) from", source.path) { () throws(Errno) in
        try descriptor.write(from: source.descriptor, at: offset, count: wanted)
      }
      guard let count else { return try appendByReading(offset..<range.upperBound, of: source) }
      guard count > 0 else { throw StorageError("copy", source.path, .endOfFile(offset: offset)) }
      offset += UInt64(count)
    }
  }

  /// Appends all bytes of a composition, from memory and from its files. May block.
  package func append(_ composed: BoundComposition) throws(StorageError) {
    for slice in composed.composition.slices {
      switch slice {
      case .literal(let bytes): try write(Array(bytes))
      case .range(let source, let range): try append(range, of: try composed.file(source))
      }
    }
  }

  private func appendByReading(_ range: Range<UInt64>, of source: RandomAccessFile) throws(StorageError) {
    var offset = range.lowerBound
    while offset < range.upperBound {
      let count = Int(min(range.upperBound - offset, 1 << 20))
      try write(source.bytes(at: offset, count: count))
      offset += UInt64(count)
    }
  }

  /// Gives the file this modification time, in nanoseconds since 1970. Calls `futimens`.
  package func setModified(nanoseconds: Int64) throws(StorageError) {
    try StorageError.of("set the time of", path) { () throws(Errno) in
      try descriptor.setModified(nanoseconds: nanoseconds)
    }
  }

  /// Gives the file a mark (`RandomAccessFile.setMark`). Calls `fsetxattr`.
  package func setMark(_ name: String, to value: [UInt8]) throws(StorageError) {
    try StorageError.of("mark", path) { () throws(Errno) in
      try descriptor.setAttribute(ExtendedAttribute.prefix + name, to: value)
    }
  }

  /// Waits until the bytes would survive a power cut. Calls `fsync`; blocks.
  package func sync() throws(StorageError) {
    try StorageError.of("sync", path) { () throws(Errno) in try descriptor.sync() }
  }

  /// Gives the file its name, and replaces whatever has it. The name is durable once its folder is synced.
  package func rename(replacing target: String) throws(StorageError) {
    try FileTree.rename(path, replacing: target)
    isNamed = true
  }

  /// Gives the file its name in the folder in which it was created, unless something there has that name. Fails for a
  /// file that was created by the path of its folder.
  ///
  /// - Throws: `StorageError`, `.alreadyExists` if the name is taken.
  package func rename(inFolder name: String) throws(StorageError) {
    guard let folder else { throw StorageError("rename", path, .system(.invalidArgument)) }
    try folder.rename(FileTree.name(of: path), to: name)
    isNamed = true
  }

  /// Gives the file its name, unless something has it. Calls `renameat2`, otherwise `link` and `unlink`, otherwise
  /// `open` and `rename`.
  ///
  /// - Throws: `StorageError`, `.alreadyExists` if the name is taken.
  package func rename(to target: String) throws(StorageError) {
    do throws(Errno) {
      try FileNames.rename(path, to: target)
      isNamed = true
      return
    } catch {
      guard error == .invalidArgument || error == .notImplemented else { throw failedToRename(to: target, error) }
    }
    do throws(Errno) {
      try FileNames.link(path, as: target)
      isNamed = true
      try? FileNames.remove(path)
      return
    } catch {
      guard [.notPermitted, .notSupported, .notImplemented].contains(error) else {
        throw failedToRename(to: target, error)
      }
    }
    try rename(claiming: target)
  }

  /// Gives the file its name on a file system that supports neither `renameat2` without replacement nor hard links
  /// (exFAT with FUSE). First an empty file is created under the name, which fails if the name is taken; then this file
  /// replaces the empty one in one step.
  func rename(claiming target: String) throws(StorageError) {
    // FUSE keeps an open file under a third name when another file replaces it, so the empty file is closed first.
    guard try claim(target) else { throw failedToRename(to: target, .alreadyExists) }
    do throws(Errno) { try FileNames.rename(path, replacing: target) } catch {
      try? FileNames.remove(target)
      throw failedToRename(to: target, error)
    }
    isNamed = true
  }

  /// Creates an empty file under a name.
  ///
  /// - Returns: true if the name still belongs to that empty file; false if another process has replaced it or written
  ///   to it in the meantime.
  /// - Throws: `StorageError`, `.alreadyExists` if the name is taken.
  private func claim(_ target: String) throws(StorageError) -> Bool {
    let claim: FileDescriptor
    do throws(Errno) {
      claim = try .open(target, [.writing, .creating, .exclusively, .refusingLink], mode: 0o644)
    } catch { throw failedToRename(to: target, error) }
    guard let opened = try? claim.status().version, let found = try? FileStatus.of(target).version else { return false }
    return opened.identity == found.identity && found.size == 0
  }

  private func failedToRename(to target: String, _ error: Errno) -> StorageError {
    StorageError("rename \(path) to", target, .system(error))
  }

  /// Removes the file at `path` that a killed process left, unless a process is still writing to it.
  package static func sweep(_ path: String) {
    guard let file = try? FileDescriptor.open(path, [.reading, .refusingLink, .withoutWaiting]),
      (try? file.lock()) != nil
    else { return }
    try? FileNames.remove(path)
  }
}
