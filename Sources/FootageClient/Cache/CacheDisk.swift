/// A thread for reads, writes and syncs of fragment files, which may wait for a disk.

internal import ISOMedia
internal import Storage

actor CacheDisk {
  private let queue: WorkQueue

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.asUnownedSerialExecutor() }

  init(threadName: String) throws(StorageError) { queue = try WorkQueue(name: threadName) }

  func read(_ file: any CacheFile, at offset: UInt64, count: Int) throws(StorageError) -> [UInt8] {
    try file.read(at: offset, count: count)
  }

  func perform<Result: Sendable>(_ body: @Sendable () -> Result) -> Result { body() }

  func sync(_ file: any CacheFile) throws(StorageError) { try file.sync() }

  /// Reads ranges back and makes fragments of them, none longer than `limit`.
  func fragments(
    of file: any CacheFile, _ ranges: [Range<UInt64>], limit: UInt64
  ) throws(StorageError) -> [Fragment] {
    var fragments: [Fragment] = []
    for range in ranges {
      var start = range.lowerBound
      while start < range.upperBound {
        let end = start + min(max(1, limit), range.upperBound - start)
        fragments.append(Fragment(start..<end, checksum: try Self.checksum(of: file, start..<end)))
        start = end
      }
    }
    return fragments
  }

  /// Whether the bytes of a fragment are still those that were received.
  func isIntact(_ fragment: Fragment, of file: any CacheFile) -> Bool {
    Self.holds(fragment, file)
  }

  static func holds(_ fragment: Fragment, _ file: any CacheFile) -> Bool {
    (try? checksum(of: file, fragment.range)) == fragment.checksum
  }

  /// The recording's time line, as far as its head is here.
  func timeline(of bytes: AvailableBytes, limit: UInt64) -> MovieTimeline.Outcome {
    MovieTimeline.read(bytes, available: { bytes.available.contains($0) }, limit: limit)
  }

  private static func checksum(of file: any CacheFile, _ range: Range<UInt64>) throws(StorageError) -> UInt64 {
    var checksum = FragmentChecksum()
    var offset = range.lowerBound
    while offset < range.upperBound {
      let count = Int(min(1 << 18, range.upperBound - offset))
      checksum.update(try file.read(at: offset, count: count))
      offset += UInt64(count)
    }
    return checksum.value
  }
}
