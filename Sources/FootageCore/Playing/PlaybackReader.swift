internal import FootageBase
internal import Synchronization
internal import FootageSystem

/// A reader of a range of an open recording, for one task at a time. It ends with its object, or with `close`.
public final class PlaybackReader: Sendable {
  /// The half-open range in bytes of the recording.
  public let range: Range<UInt64>
  private let playback: Playback
  private let version: CachedVersion
  private let id: VersionStateMachine.ReaderID
  private let direct = Mutex<DirectFetch?>(nil)
  /// The task that ends a request from which nothing is read.
  private let idle = Mutex<Task<Void, Never>?>(nil)
  /// The number of requests in a row that bypassed the cache and were ended because they were silent.
  private let silences = Mutex(0)

  /// A request that serves only this reader, used while nothing can be stored.
  private struct DirectFetch: Sendable {
    let stream: any RangeStream
    var position: UInt64
    let end: UInt64
    /// The bytes of the last chunk that no read has asked for yet.
    var rest: ArraySlice<UInt8>
  }

  init(_ playback: Playback, _ version: CachedVersion, _ range: Range<UInt64>, _ use: FetchPriority) {
    self.playback = playback
    self.version = version
    self.range = range
    id = version.addReader(use, range)
  }

  deinit { close() }

  /// Ends the fetches for this reader. Reads fail from now on.
  public func close() {
    version.removeReader(id)
    setIdle(nil)
    direct.withLock { $0 = nil }
  }

  /// Returns bytes from `offset` on, and waits for them.
  ///
  /// - Parameters:
  ///   - offset: within `range`.
  ///   - count: at least 1.
  /// - Returns: at least one byte, `count` at most, never beyond `range`.
  /// - Throws: `MediaCacheError`: `.unreachable` after a minute without a byte from the robot, and a later read tries
  ///   again; `.replaced` or `.refused`, which are permanent; `.cancelled` with the task, or after `close`; `.outside`.
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

  /// Reads bytes that are in memory, from `offset` on. It never waits, not even for a disk.
  ///
  /// - Returns: the number of bytes in the buffer; 0 if none of them is in memory.
  public func readImmediately(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = buffer.count
    guard range.contains(offset), count > 0,
      case .local(let range) = version.decideRead(id, at: offset, count: count)
    else { return 0 }
    return unsafe version.readImmediately(range, into: buffer)
  }

  /// - Returns: nil if the caller must decide again how to read.
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
      // At its end the request is released, so that its connection is free.
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

  /// Waits for an operation. If it is silent for too long, it is ended, and the bytes are requested again on a new
  /// connection. The limit doubles each time, because the robot may be slow.
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
      throw .passing(.unreachable("no data received for \(limit.components.seconds) seconds"))
    }
    return value
  }

  /// Ends the request if nothing is read from it for a while. A paused player must not occupy one of the robot's few
  /// connections; it continues later with another request.
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
