internal import FootageSystem
internal import Synchronization

/// A file that is kept of one version, opened again and again, and read whole once in a process to be compared with its
/// digest: a damaged one would be served as a broken recording.
struct VerifiedFile: ~Copyable, Sendable {
  /// Whether that was done.
  private let isSound = Atomic<Bool>(false)

  /// Opens it. Blocks.
  ///
  /// - Parameters:
  ///   - length: in bytes, as its row has it.
  ///   - digest: SHA-256, as its row has it.
  ///   - rebuilt: taken in place of what is at the path, and compared like that.
  ///   - isProved: whether that is compared when it is read.
  /// - Throws: `StorageError`; `.changed` where it is another than was written.
  func open(
    _ path: String, length: UInt64, digest: [UInt8], rebuilt: BoundComposition?, isProved: Bool = false
  ) throws(StorageError) -> BoundComposition {
    if let rebuilt {
      guard rebuilt.length == length else { throw StorageError("make again", path, .changed) }
      guard !isProved else { return rebuilt }
      guard try DerivedFileStore.digest(of: rebuilt) == digest else { throw StorageError("make again", path, .changed) }
      return rebuilt
    }
    let file = try RandomAccessFile(path: path)
    guard file.length == length else { throw StorageError("read", path, .changed) }
    if !isSound.load(ordering: .relaxed) {
      guard try DerivedFileStore.digest(of: file) == digest else { throw StorageError("read", path, .changed) }
      isSound.store(true, ordering: .relaxed)
    }
    return BoundComposition(file, 0..<length)
  }
}
