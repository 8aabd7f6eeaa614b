package import FootageAPI
internal import FootageBase
package import FootageServing
package import FootageSystem
internal import Synchronization

/// Reads what a store has of recordings, by mebibytes whose digests their robots have signed, and keeps those that were
/// read lately in a file of bounded size.
///
/// However many read the same, each mebibyte is fetched once. What is not what was signed is fetched once more, and then
/// nobody gets it.
package final class StoreBlockCache: Sendable {
  private struct State {
    var slots: CacheSlots
    /// What is being fetched, and who waits for it.
    var waiting: [CacheSlots.Block: [Waiter]] = [:]
    /// True once nothing is fetched any more.
    var isStopped = false
  }

  /// Called once, with the result of waiting for a block.
  private typealias Waiter = @Sendable (Result<Void, StorageError>) -> Void

  private let state: Mutex<State>
  private let file: WritableFile
  private let reading: RandomAccessFile
  private let path: String
  private let store: any Store
  private let loop: EventLoop
  private let fetched = Atomic<UInt64>(0)

  /// The least that is of use, in bytes: the mebibytes that some viewers read at once.
  package static let leastLimit: UInt64 = 16 << 20
  private static let mebibyte = ObjectDigests.mebibyte
  private static let name = "store-cache"

  /// Begins with nothing in it; what a former process left is thrown away. Blocks.
  ///
  /// - Parameters:
  ///   - folder: where its file is, which has to be there.
  ///   - limit: in bytes; at least `leastLimit`.
  ///   - store: spoken with on the loop.
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

  /// Since the start, in bytes: what came out of the store.
  package var fetchedBytes: UInt64 { fetched.load(ordering: .relaxed) }

  /// An object of a recording, to be read as a file is. Nothing is asked of the store yet.
  ///
  /// - Throws: `StorageError`: `.notFound` where the recording has no such object; `.tooManyOpenFiles`.
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

  /// Reads a part of a block that is here.
  ///
  /// - Returns: false where it is not.
  func read(
    _ block: CacheSlots.Block, from offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(StorageError) -> Bool {
    guard let slot = state.withLock({ $0.slots.take(block) }) else { return false }
    defer { state.withLock { $0.slots.release(slot) } }
    try unsafe reading.read(at: UInt64(slot) * Self.mebibyte + offset, into: buffer)
    return true
  }

  func holds(_ block: CacheSlots.Block) -> Bool { state.withLock { $0.slots.holds(block) } }

  /// Waits until a block is here.
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
      // Somebody may have begun to fetch it for whoever comes next, and wait for nothing.
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

  /// Has a block fetched that somebody may read next, and does not wait.
  func prefetch(_ block: CacheSlots.Block, of object: StoredObjectFile) {
    let isFirst = state.withLock { state in
      guard !state.isStopped, !state.slots.holds(block), state.waiting[block] == nil else { return false }
      state.waiting[block] = []
      return true
    }
    if isFirst { begin(block, of: object) }
  }

  /// Blocks until a block is here.
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

  /// Ends all waiting, and lets nobody wait any more. To be called before the loop ends: what waits for it would wait for
  /// ever.
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
      // What comes is proved by what was signed alone. That the store has the version still of which something else came
      // spares a transfer, and is asked for once: whatever it answered before, true or not, holds nobody up.
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
      "read", block.key, .away("the store has other bytes than were signed, at byte \(range.lowerBound)"))
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
  /// Whether the store may have the object in another version than was asked for.
  fileprivate var isAboutVersion: Bool {
    switch reason {
    case .preconditionFailed, .notFound, .untrusted(.bytes): true
    default: false
    }
  }
}
