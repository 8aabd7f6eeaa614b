internal import FootageSystem
internal import Synchronization

/// A derived file of one version, which is opened many times. It is read in full and compared with its digest once per
/// process, because a damaged derived file would make the recording broken.
struct VerifiedFile: ~Copyable, Sendable {
  /// True once the comparison has succeeded.
  private let isSound = Atomic<Bool>(false)

  /// Opens the file. Blocks.
  ///
  /// - Parameters:
  ///   - length: the length in its row, in bytes.
  ///   - digest: the SHA-256 in its row.
  ///   - rebuilt: replaces the file at the path, and is compared in the same way.
  ///   - isProved: true if the bytes of `rebuilt` are verified when they are read.
  /// - Throws: `StorageError`; `.changed` if it is not the file that was written.
  func open(
    _ path: String, length: UInt64, digest: [UInt8], rebuilt: BoundComposition?, isProved: Bool = false
  ) throws(StorageError) -> BoundComposition {
    if let rebuilt {
      guard rebuilt.length == length else { throw StorageError("rebuild", path, .changed) }
      guard !isProved else { return rebuilt }
      guard try DerivedFileStore.digest(of: rebuilt) == digest else { throw StorageError("rebuild", path, .changed) }
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
