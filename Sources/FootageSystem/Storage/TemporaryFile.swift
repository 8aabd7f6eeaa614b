internal import FootageBase
internal import Synchronization

/// A file that nobody sees yet: it is written and synced under a dot name, and then gets its real one at once.
///
/// Removed again when it goes away without a name of its own; a process that is killed leaves the dot name behind.
package final class TemporaryFile {
  /// What every dot name begins with, so that what a killed process left can be told and swept.
  package static let namePrefix = ".footage-partial-"

  /// Where the bytes are until the file is named.
  package let path: String
  private let descriptor: FileDescriptor
  /// Where it was made in a folder that was open; nil where that was named by its path.
  private let folder: OpenFolder?
  private var isNamed = false

  private static let serial = Atomic<UInt64>(0)

  /// Creates an empty file with a fresh dot name in `folder`, locked for as long as this object lives.
  /// Calls `openat` and `flock`; may block.
  ///
  /// - Throws: `StorageError`: no such folder, no permission, no room.
  package init(in folder: String) throws(StorageError) {
    var path: String
    let descriptor: FileDescriptor
    while true {
      path = "\(folder)/\(Self.freshName())"
      do throws(Errno) {
        descriptor = try .open(path, Self.opening, mode: Self.mode)
        break
      } catch {
        guard error == .alreadyExists else { throw StorageError("create", path, .system(error)) }
      }
    }
    // The lock is what tells a sweep that this one is still wanted; where it is not to be had, the age tells.
    try? descriptor.lock()
    self.path = path
    self.descriptor = descriptor
    self.folder = nil
  }

  /// The same in a folder that is open: it is made, named and removed in that one, whatever has its path by then. It is
  /// named with `rename(inFolder:)` alone.
  ///
  /// - Throws: `StorageError`: no permission, no room.
  package init(in folder: OpenFolder) throws(StorageError) {
    var name: String
    let descriptor: FileDescriptor
    while true {
      name = Self.freshName()
      do throws(Errno) {
        descriptor = try folder.descriptor.open(name, Self.opening, mode: Self.mode)
        break
      } catch {
        guard error == .alreadyExists else { throw StorageError("create", "\(folder.path)/\(name)", .system(error)) }
      }
    }
    try? descriptor.lock()
    path = "\(folder.path)/\(name)"
    self.descriptor = descriptor
    self.folder = folder
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
    // Safe because the buffer is the array's own.
    try unsafe bytes.borrowedSpan.withUnsafeBytes { (bytes) throws(StorageError) in
      try StorageError.of("write", path) { () throws(Errno) in unsafe try descriptor.write(bytes) }
    }
  }

  /// Appends ranges of another file without bringing them into this process where the file system can do so.
  /// Calls `copy_file_range`, else `pread` and `write`; may block.
  ///
  /// - Throws: `StorageError`, also where the other file ends before a range does.
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

  /// Appends all of a composition, wherever its bytes are. May block.
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

  /// Returns when the bytes would survive a power cut. Calls `fsync`; blocks.
  package func sync() throws(StorageError) {
    try StorageError.of("make durable", path) { () throws(Errno) in try descriptor.sync() }
  }

  /// Gives the file its name, in place of what had it. The name is durable once its folder is synced.
  package func rename(replacing target: String) throws(StorageError) {
    try FileTree.rename(path, replacing: target)
    isNamed = true
  }

  /// Gives the file its name in the folder that it was made in, unless something has that name there. Where the file was
  /// made in a folder by its path, this does not do.
  ///
  /// - Throws: `StorageError`, `.alreadyExists` where the name is taken.
  package func rename(inFolder name: String) throws(StorageError) {
    guard let folder else { throw StorageError("rename", path, .system(.invalidArgument)) }
    try folder.rename(FileTree.name(of: path), to: name)
    isNamed = true
  }

  /// Gives the file its name unless something has it. Calls `renameat2`, else `link` and `unlink`, else `open` and
  /// `rename`.
  ///
  /// - Throws: `StorageError`, `.alreadyExists` where the name is taken.
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

  /// For a file system that knows neither way (exFAT by FUSE): an empty file takes the name, which fails where
  /// something has it, and this file then takes that one's place at once.
  func rename(claiming target: String) throws(StorageError) {
    // FUSE keeps a file that is open under a third name when another one takes its place: so it is closed before.
    guard try claim(target) else { throw failedToRename(to: target, .alreadyExists) }
    do throws(Errno) { try FileNames.rename(path, replacing: target) } catch {
      try? FileNames.remove(target)
      throw failedToRename(to: target, error)
    }
    isNamed = true
  }

  /// - Returns: whether what has the name is ours. Somebody may have put a file of theirs there in the meantime, or
  ///   written into this one.
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

  /// Removes what a killed process left at `path`; leaves it alone while somebody still writes to it.
  package static func sweep(_ path: String) {
    guard let file = try? FileDescriptor.open(path, [.reading, .refusingLink, .withoutWaiting]),
      (try? file.lock()) != nil
    else { return }
    try? FileNames.remove(path)
  }
}
