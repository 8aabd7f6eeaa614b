internal import FootageBase
internal import Synchronization
internal import FootageSystem

/// Reads a range of an open recording, for one task at a time. It ends with its object, or with `close`.
public final class PlaybackReader: Sendable {
  /// Half-open, in bytes of the recording.
  public let range: Range<UInt64>
  private let playback: Playback
  private let version: CachedVersion
  private let id: VersionStateMachine.ReaderID
  private let direct = Mutex<DirectFetch?>(nil)
  /// Ends the request that nobody reads from.
  private let idle = Mutex<Task<Void, Never>?>(nil)
  /// How often in a row a request past the cache was let go because it said nothing.
  private let silences = Mutex(0)

  /// A request of this reader alone, for where nothing can be stored.
  private struct DirectFetch: Sendable {
    let stream: any RangeStream
    var position: UInt64
    let end: UInt64
    /// What came and was not asked for yet: of one chunk.
    var rest: ArraySlice<UInt8>
  }

  init(_ playback: Playback, _ version: CachedVersion, _ range: Range<UInt64>, _ use: FetchPriority) {
    self.playback = playback
    self.version = version
    self.range = range
    id = version.addReader(use, range)
  }

  deinit { close() }

  /// Lets go of what is being fetched for it; reads fail from now on.
  public func close() {
    version.removeReader(id)
    setIdle(nil)
    direct.withLock { $0 = nil }
  }

  /// Waits for bytes from `offset` on.
  ///
  /// - Parameters:
  ///   - offset: within `range`.
  ///   - count: at least 1.
  /// - Returns: at least one byte, `count` at most, never beyond `range`.
  /// - Throws: `MediaCacheError`: `.unreachable` after a minute without a byte from the robot, and a later read tries
  ///   again; `.replaced`, `.refused`, which stay so; `.cancelled` with the task, or after `close`; `.outside`.
  public func read(at offset: UInt64, count: Int) async throws(MediaCacheError) -> [UInt8] {
    guard range.contains(offset), count > 0 else {
      throw .outside(version.key, offset..<offset.addingClamped(UInt64(max(0, count))), length: version.version.length)
    }
    while true {
      guard !Task.isCancelled else { throw .cancelled }
      switch version.decideRead(id, at: offset, count: min(count, version.limits.readBytes)) {
      case .local(let range):
        if let bytes = await version.readLocally(range) { return bytes }
      case .wait:
        direct.withLock { $0 = nil }
        await version.wait(id)
      case .direct(let range):
        if let bytes = try await readDirectly(range, count) { return bytes }
      case .fail(let failure):
        throw Task.isCancelled ? .cancelled : version.error(failure, at: offset)
      }
    }
  }

  /// Reads what is in memory from `offset` on. Never waits, not even for a disk.
  ///
  /// - Returns: how many bytes are in the buffer; 0 where they have to be waited for.
  public func readImmediately(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = buffer.count
    guard range.contains(offset), count > 0,
      case .local(let range) = version.decideRead(id, at: offset, count: count)
    else { return 0 }
    return unsafe version.readImmediately(range, into: buffer)
  }

  /// - Returns: nil where it is to be decided anew.
  private func readDirectly(_ range: Range<UInt64>, _ count: Int) async throws(MediaCacheError) -> [UInt8]? {
    setIdle(nil)
    do throws(FetchFailure) {
      var fetch: DirectFetch
      if let running = direct.withLock({ $0 }), running.position == range.lowerBound, running.end <= range.upperBound {
        fetch = running
      } else {
        direct.withLock { $0 = nil }
        let isAnew = silences.withLock { $0 > 0 }
        let stream = try await soon { () async throws(FetchFailure) in
          try await self.version.open(range, isAnew: isAnew)
        }
        fetch = DirectFetch(stream: stream, position: range.lowerBound, end: range.upperBound, rest: [])
      }
      if fetch.rest.isEmpty {
        let stream = fetch.stream
        guard let bytes = try await soon({ () async throws(FetchFailure) in try await stream.next() }) else {
          throw .passing(.endedEarly)
        }
        silences.withLock { $0 = 0 }
        let wanted = bytes.prefix(Int(clamping: fetch.end - fetch.position))
        version.passed(wanted.count)
        fetch.rest = wanted
      }
      let bytes = Array(fetch.rest.prefix(count))
      fetch.rest = fetch.rest.dropFirst(count)
      fetch.position += UInt64(bytes.count)
      let next = fetch
      // At its end the request is let go, so that its connection is free.
      let isOpen = next.position < next.end
      direct.withLock { $0 = isOpen ? next : nil }
      if isOpen { watchIdle(at: next.position) }
      return bytes.isEmpty ? nil : bytes
    } catch {
      direct.withLock { $0 = nil }
      guard !Task.isCancelled else { throw .cancelled }
      guard let pause = version.failedDirectly(error) else { return nil }
      await version.clock.pause(for: pause)
      return nil
    }
  }

  /// What says nothing for long is let go, and asked for again on a new connection; each time it may say nothing for
  /// longer, since the robot may be slow.
  private func soon<Value: Sendable>(
    _ body: @escaping @Sendable () async throws(FetchFailure) -> Value
  ) async throws(FetchFailure) -> Value {
    let limits = version.limits
    let limit = min(limits.fetchIdle, limits.rival * (1 << min(silences.withLock { $0 }, 10)))
    let clock = version.clock
    version.setWaiting(id, true)
    defer { version.setWaiting(id, false) }
    guard let value = try await TimeLimit.result(within: limit, sleep: clock.pause, body) else {
      silences.withLock { $0 += 1 }
      throw .passing(.unreachable("no byte has come for \(limit.components.seconds) seconds"))
    }
    return value
  }

  /// A paused player reads on later, by another request, and must not have one of the robot's few connections
  /// meanwhile.
  private func watchIdle(at position: UInt64) {
    let (clock, pause) = (version.clock, version.limits.directIdle)
    setIdle(
      Task { [weak self] in
        await clock.pause(for: pause)
        guard !Task.isCancelled else { return }
        self?.letGo(at: position)
      })
  }

  private func setIdle(_ task: Task<Void, Never>?) {
    let former = idle.withLock { idle in
      defer { idle = task }
      return idle
    }
    former?.cancel()
  }

  private func letGo(at position: UInt64) {
    direct.withLock { if $0?.position == position { $0 = nil } }
  }
}
