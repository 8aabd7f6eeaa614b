internal import FootageDigest
internal import FootageAPI
internal import FootageHTTP
internal import FootageSystem
internal import Synchronization

/// An object of a store that is read as if it were a file.
final class StoredObjectFile: PartialFile, Sendable {
  let key: String
  let digests: ObjectDigests
  private let cache: StoreBlockCache
  /// The tag of the version that last delivered verified bytes; nil if none did.
  private let version = Mutex<EntityTag?>(nil)
  /// The block for which a reader last waited, by which sequential reading is recognized.
  private let last = Atomic<Int>(-1)

  init(key: String, digests: ObjectDigests, cache: StoreBlockCache) {
    self.key = key
    self.digests = digests
    self.cache = cache
  }

  var entityTag: EntityTag? { version.withLock { $0 } }

  /// Records that bytes of this version arrived and match what was signed.
  func note(_ entityTag: EntityTag?) { version.withLock { $0 = entityTag } }

  /// Forgets the version that the store has.
  func forgetVersion() { version.withLock { $0 = nil } }

  /// Returns true if these bytes match what was signed.
  func isWhole(_ bytes: [UInt8], _ number: Int) -> Bool {
    digests.digest(ofMebibyte: number).map { $0.elementsEqual(SHA256.hash(bytes)) } ?? false
  }

  private func block(at offset: UInt64) -> CacheSlots.Block {
    CacheSlots.Block(key: key, number: Int(clamping: offset / ObjectDigests.mebibyte))
  }

  func prepare(_ range: Range<UInt64>) async throws(StorageError) {
    guard range.upperBound <= digests.size else { throw StorageError("read", key, .endOfFile(offset: digests.size)) }
    var offset = range.lowerBound
    while offset < range.upperBound {
      let block = block(at: offset)
      if !cache.holds(block) {
        readAhead(of: block)
        try await cache.bring(block, of: self)
      }
      offset = digests.range(ofMebibyte: block.number).upperBound
    }
  }

  /// Fetches the next block in advance, for a sequential reader.
  private func readAhead(of block: CacheSlots.Block) {
    let before = last.exchange(block.number, ordering: .relaxed)
    guard before >= 0, block.number == before + 1 || block.number == before + 2, block.number + 1 < digests.count else {
      return
    }
    cache.prefetch(CacheSlots.Block(key: key, number: block.number + 1), of: self)
  }

  func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) {
    guard offset <= digests.size, UInt64(buffer.count) <= digests.size - offset else {
      throw StorageError("read", key, .endOfFile(offset: digests.size))
    }
    var done = 0
    while done < buffer.count {
      switch unsafe try readImmediately(
        at: offset + UInt64(done), into: UnsafeMutableRawBufferPointer(rebasing: buffer[done...]))
      {
      case .bytes(let count): done += count
      case .wouldBlock: try cache.bringNow(block(at: offset + UInt64(done)), of: self)
      }
    }
  }

  func readImmediately(
    at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(StorageError) -> RandomAccessFile.ImmediateRead {
    guard offset < digests.size else { throw StorageError("read", key, .endOfFile(offset: digests.size)) }
    let block = block(at: offset)
    let range = digests.range(ofMebibyte: block.number)
    let count = Int(min(UInt64(buffer.count), range.upperBound - offset))
    // Safe because `count` is at most the buffer's own.
    let part = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
    return unsafe try cache.read(block, from: offset - range.lowerBound, into: part) ? .bytes(count) : .wouldBlock
  }
}
