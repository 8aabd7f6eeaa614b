package import FootageAPI
internal import FootageBase
package import FootageServing
package import FootageSystem
internal import Synchronization

/// A cache for recordings in a store. It reads them in mebibytes, whose digests their robots have signed. It keeps
/// recently read ones in a file of limited size.
///
/// A mebibyte is fetched only once, even if several readers need it at the same time. A mebibyte that differs from what
/// was signed is fetched once more, and if that is wrong as well, no reader gets it.
package final class StoreBlockCache: Sendable {
  private struct State {
    var slots: CacheSlots
    /// The blocks that are being fetched, and the waits for each.
    var waiting: [CacheSlots.Block: [Waiter]] = [:]
    /// True once no more blocks are fetched.
    var isStopped = false
  }

  /// A function that is called once, with the result of the wait for a block.
  private typealias Waiter = @Sendable (Result<Void, StorageError>) -> Void

  private let state: Mutex<State>
  private let file: WritableFile
  private let reading: RandomAccessFile
  private let path: String
  private let store: any Store
  private let loop: EventLoop
  private let fetched = Atomic<UInt64>(0)

  /// The smallest useful limit in bytes: the mebibytes that a few viewers read at the same time.
  package static let leastLimit: UInt64 = 16 << 20
  private static let mebibyte = ObjectDigests.mebibyte
  private static let name = "store-cache"

  /// Creates an empty cache. The file of an earlier process is deleted. Blocks.
  ///
  /// - Parameters:
  ///   - folder: the folder for its file, which has to exist.
  ///   - limit: the size in bytes; at least `leastLimit`.
  ///   - store: the store, used on the loop.
  package init(
    folder: String, limit: UInt64, store: any Store, loop: EventLoop
  ) throws(StorageError) {
    path = "\(folder)/\(Self.name)"
    try FileTree.remove(path)
    file = try WritableFile(path: path, .new)
    reading = try RandomAccessFile(path: path)
    self.store = store
    self.loop = loop
    state = Mutex(State(slots: CacheSlots(limit: Int(clamping: max(limit, Self.leastLimit) / Self.mebibyte))))
  }

  /// The number of bytes that were fetched from the store since the start.
  package var fetchedBytes: UInt64 { fetched.load(ordering: .relaxed) }

  /// Returns an object of a recording, to be read like a file. Sends nothing to the store yet.
  ///
  /// - Throws: `StorageError`: `.notFound` if the recording has no such object; `.tooManyOpenFiles`.
  package func file(
    _ part: StoredPart, of manifest: Manifest, keys: ObjectKeys
  ) throws(StorageError) -> RandomAccessFile {
    let key = part.key(keys)
    guard let digests = part.digests(manifest) else { throw StorageError("read", key, .system(.notFound)) }
    let version = FileVersion(
      device: 0, inode: 0, size: digests.size, modifiedNanoseconds: manifest.modifiedNanoseconds)
    return try RandomAccessFile(
      StoredObjectFile(key: key, digests: digests, cache: self), path: key, version: version, kept: path)
  }

  // MARK: Blocks

  /// Reads a part of a cached block.
  ///
  /// - Returns: false if the block is not cached.
  func read(
    _ block: CacheSlots.Block, from offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(StorageError) -> Bool {
    guard let slot = state.withLock({ $0.slots.take(block) }) else { return false }
    defer { state.withLock { $0.slots.release(slot) } }
    try unsafe reading.read(at: UInt64(slot) * Self.mebibyte + offset, into: buffer)
    return true
  }

  func holds(_ block: CacheSlots.Block) -> Bool { state.withLock { $0.slots.holds(block) } }

  /// Waits until a block is cached.
  func bring(_ block: CacheSlots.Block, of object: StoredObjectFile) async throws(StorageError) {
    let result: Result<Void, StorageError> = await Suspension.suspend { suspension in
      wait(for: block, of: object) { suspension.resume(returning: $0) }
    }
    try result.get()
  }

  private func wait(for block: CacheSlots.Block, of object: StoredObjectFile, _ waiter: @escaping Waiter) {
    let (known, isFirst) = state.withLock { state -> (Result<Void, StorageError>?, Bool) in
      if state.slots.holds(block) { return (.success(()), false) }
      if state.isStopped { return (.failure(Self.stopped(block)), false) }
      // A fetch may have begun for a future reader, without any wait for it.
      let isFirst = state.waiting[block] == nil
      state.waiting[block, default: []].append(waiter)
      return (nil, isFirst)
    }
    if let known { waiter(known) }
    if isFirst { begin(block, of: object) }
  }

  private static func stopped(_ block: CacheSlots.Block) -> StorageError {
    StorageError("read", block.key, .away("the server is stopping"))
  }

  /// Begins to fetch a block that may be read next, without waiting for it.
  func prefetch(_ block: CacheSlots.Block, of object: StoredObjectFile) {
    let isFirst = state.withLock { state in
      guard !state.isStopped, !state.slots.holds(block), state.waiting[block] == nil else { return false }
      state.waiting[block] = []
      return true
    }
    if isFirst { begin(block, of: object) }
  }

  /// Blocks until a block is cached.
  func bringNow(_ block: CacheSlots.Block, of object: StoredObjectFile) throws(StorageError) {
    let done = Semaphore()
    let outcome = Mutex<Result<Void, StorageError>>(.success(()))
    wait(for: block, of: object) { result in
      outcome.withLock { $0 = result }
      done.signal()
    }
    done.wait()
    try outcome.withLock { $0 }.get()
  }

  /// Ends all waits and allows no more. Must be called before the loop ends, because waits for the loop would otherwise
  /// never end.
  package func stop() {
    let waiting = state.withLock { state in
      state.isStopped = true
      defer { state.waiting = [:] }
      return state.waiting
    }
    for (block, waiters) in waiting { for waiter in waiters { waiter(.failure(Self.stopped(block))) } }
  }

  private func begin(_ block: CacheSlots.Block, of object: StoredObjectFile) {
    Task(executorPreference: loop) { [self] in
      var result: Result<Void, StorageError> = .success(())
      do throws(StorageError) { try await fetch(block, of: object) } catch { result = .failure(error) }
      let waiting = state.withLock { $0.waiting.removeValue(forKey: block) ?? [] }
      for waiter in waiting { waiter(result) }
    }
  }

  private func fetch(_ block: CacheSlots.Block, of object: StoredObjectFile) async throws(StorageError) {
    let range = object.digests.range(ofMebibyte: block.number)
    guard !range.isEmpty else { throw StorageError("read", block.key, .endOfFile(offset: object.digests.size)) }
    for attempt in 0..<2 {
      // Only what was signed proves the bytes. Asking for the version of earlier good bytes merely saves a transfer if
      // the store has another one now. It is asked for only once, so that a false answer of the store delays no reader.
      let entityTag = attempt == 0 ? object.entityTag : nil
      let bytes: [UInt8]
      let found: StoredObject
      do throws(ObjectStoreError) {
        (bytes, found) = try await store.read(block.key, in: range, ifMatch: entityTag)
      } catch {
        object.forgetVersion()
        if entityTag != nil, error.isAboutVersion { continue }
        throw StorageError("read", block.key, .away(error.description))
      }
      fetched.add(UInt64(bytes.count), ordering: .relaxed)
      guard object.isWhole(bytes, block.number) else {
        object.forgetVersion()
        continue
      }
      object.note(found.entityTag)
      try keep(bytes, as: block)
      return
    }
    throw StorageError(
      "read", block.key, .away("the store's bytes are not those that were signed, at byte \(range.lowerBound)"))
  }

  /// Writes a mebibyte on the loop's thread, into the page cache.
  private func keep(_ bytes: [UInt8], as block: CacheSlots.Block) throws(StorageError) {
    let slot = state.withLock { $0.slots.takeForWriting() }
    do throws(StorageError) {
      // Safe because the buffer is the array's own.
      try unsafe bytes.span.withUnsafeBytes { (bytes) throws(StorageError) in
        try unsafe file.write(bytes, at: UInt64(slot) * Self.mebibyte)
      }
    } catch {
      state.withLock { $0.slots.release(slot) }
      throw error
    }
    state.withLock { $0.slots.fill(slot, with: block) }
  }
}

extension ObjectStoreError {
  /// True if the store may have a different version of the object from the requested one.
  fileprivate var isAboutVersion: Bool {
    switch reason {
    case .preconditionFailed, .notFound, .untrusted(.bytes): true
    default: false
    }
  }
}
