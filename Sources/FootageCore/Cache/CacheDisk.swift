internal import FootageBase
internal import FootageMedia
internal import FootageSystem

/// A thread for reading, writing and syncing the files of versions, which may wait for a disk.
actor CacheDisk {
  private let queue: WorkQueue

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.asUnownedSerialExecutor() }

  init(threadName: String) throws(SystemError) { queue = try WorkQueue(name: threadName) }

  func read(_ file: any CacheFile, at offset: UInt64, count: Int) throws(StorageError) -> [UInt8] {
    try file.read(at: offset, count: count)
  }

  func perform<Value: Sendable, Failure>(
    _ body: @Sendable () throws(Failure) -> Value
  ) throws(Failure) -> Value { try body() }

  func sync(_ file: any CacheFile) throws(StorageError) { try file.sync() }

  /// Reads blocks and compares them with their checksums.
  ///
  /// - Returns: the first block that differs from what was received; nil if there is none.
  /// - Throws: if a block cannot be read.
  func firstDamaged(_ blocks: [ChecksummedRange.Block], of file: any CacheFile) throws(StorageError) -> ChecksummedRange
    .Block?
  {
    for block in blocks {
      guard try Self.checksum(of: file, block.range) == block.checksum else { return block }
    }
    return nil
  }

  /// Returns the ranges of a fragment's blocks that differ from what was received, or cannot be read. Adjacent blocks
  /// form one range.
  func damaged(_ fragment: ChecksummedRange, of file: any CacheFile) -> [Range<UInt64>] {
    Self.damaged(fragment, of: file)
  }

  static func damaged(_ fragment: ChecksummedRange, of file: any CacheFile) -> [Range<UInt64>] {
    let damaged = fragment.blocks(in: fragment.range).filter { (try? checksum(of: file, $0.range)) != $0.checksum }
    return RangeSet(damaged.map(\.range)).ranges
  }

  /// Reads the recording's time line from the head of the file, if enough of it is cached.
  func timeline(of bytes: CachedRanges, limit: UInt64) -> MovieTimeline.Outcome {
    MovieTimeline.read(bytes, available: { bytes.available.contains($0) }, limit: limit)
  }

  /// Reads the recording's time line from its sample index; returns nil if the index is damaged.
  func timeline(of film: VersionFilm) -> MovieTimeline? {
    try? MovieTimeline(film.views.index, film.views.source)
  }

  /// Finds the end of the recording's `moov`, if enough of the file is cached.
  func headEnd(of bytes: CachedRanges, limit: UInt64) -> MovieHead.Outcome {
    MovieHead.end(in: bytes, available: { bytes.available.contains($0) }, limit: limit)
  }

  /// Reads a kept index; returns nil if it differs from what was written.
  func keptIndex(_ file: any CacheFile, of version: RecordingVersion) -> IndexBytes? {
    KeptIndex.read(file, of: version)
  }

  /// Returns the checksum of bytes as they are now.
  static func checksum(of file: any CacheFile, _ range: Range<UInt64>) throws(StorageError) -> UInt64 {
    var checksum = RangeChecksum()
    var offset = range.lowerBound
    while offset < range.upperBound {
      let count = Int(min(1 << 18, range.upperBound - offset))
      checksum.update(try file.read(at: offset, count: count))
      offset += UInt64(count)
    }
    return checksum.value
  }
}
