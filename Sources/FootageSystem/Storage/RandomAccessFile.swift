internal import FootageBase

/// A regular file that is open for reading at any offset, for as long as this object lives.
///
/// Deleting or renaming the file does not disturb its readers; `status()` shows if it was changed in place.
package final class RandomAccessFile: ByteSource, Sendable {
  package let path: String
  /// The status of the file when it was opened.
  package let openingStatus: FileStatus
  let descriptor: FileDescriptor
  /// The source of the bytes that are stored elsewhere; nil if the whole file is on this machine.
  private let partial: (any PartialFile)?

  /// Opens a regular file; a symbolic link as the last part is rejected unless requested. Calls `openat` and `fstat`;
  /// may block.
  ///
  /// A FIFO of that name does not block the caller forever.
  ///
  /// - Throws: `StorageError`: it does not exist, no permission, or not a regular file.
  package convenience init(path: String, followingLinks: Bool = false) throws(StorageError) {
    let descriptor: FileDescriptor
    do throws(Errno) { descriptor = try .open(path, followingLinks ? Self.following : Self.refusingLinks) } catch {
      throw StorageError("open", path, error == .symbolicLink ? .wrongKind("a symbolic link") : .system(error))
    }
    try self.init(descriptor, path: path)
  }

  private static let following: FileDescriptor.Opening = [.reading, .withoutWaiting]
  private static let refusingLinks: FileDescriptor.Opening = [.reading, .withoutWaiting, .refusingLink]

  /// Creates a file that takes over a descriptor open for reading. Calls `fstat`.
  ///
  /// - Parameter path: the name of the file in errors.
  init(_ descriptor: consuming FileDescriptor, path: String) throws(StorageError) {
    let opened: FileStatus
    do throws(Errno) { opened = try descriptor.status() } catch {
      throw StorageError("examine", path, .system(error))
    }
    guard opened.kind == .regular else { throw StorageError("open", path, .wrongKind("not a regular file")) }
    self.path = path
    self.descriptor = descriptor
    self.openingStatus = opened
    partial = nil
  }

  /// Opens a file that is stored elsewhere, and of which a part is kept on this machine. The file never changes.
  ///
  /// - Parameters:
  ///   - partial: provides the bytes of the file.
  ///   - path: the name of the file in errors.
  ///   - version: the version of the whole file.
  ///   - kept: the path of the part that is kept on this machine; it is opened once more.
  package init(
    _ partial: any PartialFile, path: String, version: FileVersion, kept: String
  ) throws(StorageError) {
    do throws(Errno) {
      descriptor = try .open(kept, [.reading, .refusingLink])
      openingStatus = try descriptor.status().with(version)
    } catch { throw StorageError("open", kept, .system(error)) }
    self.path = path
    self.partial = partial
  }

  /// The number of bytes when the file was opened.
  package var length: UInt64 { openingStatus.version.size }

  /// Returns the current status of the file. Calls `fstat`.
  package func status() throws(StorageError) -> FileStatus {
    do throws(Errno) { return try descriptor.status() } catch { throw failure("examine", error) }
  }

  /// Returns true if no process has written to the file since it had this version. Calls `fstat`.
  package func isStill(_ version: FileVersion) -> Bool {
    guard partial == nil else { return true }
    do throws(Errno) { return try descriptor.status().version == version } catch { return false }
  }

  /// Returns true if the file has at least this many bytes, even if a process is still appending to it. Calls `fstat`.
  package func reaches(_ length: UInt64) -> Bool {
    guard partial == nil else { return self.length >= length }
    do throws(Errno) { return try descriptor.status().version.size >= length } catch { return false }
  }

  package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) {
    if let partial { return unsafe try partial.read(at: offset, into: buffer) }
    var done = 0
    while done < buffer.count {
      // Safe because the sub-buffer lies inside the caller's buffer.
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let count: Int
      do throws(Errno) { count = unsafe try descriptor.read(at: offset + UInt64(done), into: rest) } catch {
        throw failure("read", error)
      }
      guard count > 0 else { throw StorageError("read", path, .endOfFile(offset: offset + UInt64(done))) }
      done += count
    }
  }

  /// The result of a read that must not block.
  package enum ImmediateRead: Equatable {
    /// The number of bytes in the buffer, at least one.
    case bytes(Int)
    /// The bytes are not in memory (the kernel has begun to fetch them), or this file system cannot tell.
    case wouldBlock
  }

  /// Reads the bytes from `offset` on that are in memory already. Never waits for a disk. Calls `preadv2` with
  /// `RWF_NOWAIT`.
  ///
  /// - Throws: `StorageError`, also at the end of the file.
  package func readImmediately(
    at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(StorageError) -> ImmediateRead {
    if let partial { return unsafe try partial.readImmediately(at: offset, into: buffer) }
    let count: Int?
    do throws(Errno) { count = unsafe try descriptor.readImmediately(at: offset, into: buffer) } catch {
      throw failure("read", error)
    }
    guard let count else { return .wouldBlock }
    guard count > 0 else { throw StorageError("read", path, .endOfFile(offset: offset)) }
    return .bytes(count)
  }

  /// True if reading it may take as long as a network takes.
  package var isPartial: Bool { partial != nil }

  /// Waits until a range can be read without waiting for a network. Blocks no thread.
  package func prepare(_ range: Range<UInt64>) async throws(StorageError) { try await partial?.prepare(range) }

  private func failure(_ action: String, _ error: Errno) -> StorageError { StorageError(action, path, .system(error)) }
}
