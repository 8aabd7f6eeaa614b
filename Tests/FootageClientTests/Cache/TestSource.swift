/// A robot in memory that can be made to misbehave.

import FootageClient
import Synchronization
import LinuxTestSupport

final class TestSource: RangeSource, Sendable {
  struct Request: Hashable, Sendable {
    let range: Range<UInt64>
    var delivered: UInt64 = 0
    var isOver = false
  }

  enum Behaviour: Sendable {
    case good
    case failing(FetchFailure)
    /// The source delivers this number of bytes and then fails.
    case failingAfter(Int, FetchFailure)
    /// The source delivers this number of bytes and then claims that this was all.
    case endingAfter(Int)
    /// The source delivers this number of bytes more than were requested.
    case tooMuch(Int)
    /// The source never answers.
    case silent
    /// The source answers, delivers this number of bytes, and then nothing more.
    case stallingAfter(Int)
  }

  struct State: Sendable {
    var requests: [Request] = []
    /// The behaviors for the next requests, in order. After them, `usual` applies.
    var next: [Behaviour] = []
    var usual = Behaviour.good
    var chunk = 64
    /// The number of deliveries that are permitted before further ones wait; nil for no waiting.
    var permits: Int?
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  let content: [UInt8]
  let state = Mutex(State())

  init(_ content: [UInt8], chunk: Int = 64) {
    self.content = content
    state.withLock { $0.chunk = chunk }
  }

  var requests: [Request] { state.withLock { $0.requests } }
  var requestedRanges: [Range<UInt64>] { requests.map(\.range) }
  var deliveredBytes: UInt64 { requests.reduce(0) { $0 + $1.delivered } }

  func behave(_ behaviours: Behaviour...) { state.withLock { $0.next += behaviours } }
  func behaveAlways(_ behaviour: Behaviour) { state.withLock { $0.usual = behaviour } }

  /// Makes each further chunk wait for a permit.
  func hold() { state.withLock { $0.permits = 0 } }

  func permit(_ count: Int) {
    let woken = state.withLock { state in
      state.permits = (state.permits ?? 0) + count
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in woken { continuation.resume() }
  }

  func open(
    _ range: Range<UInt64>, of key: RecordingKey, _ version: RecordingVersion
  ) async throws(FetchFailure) -> any RangeStream {
    let (number, behaviour, chunk) = state.withLock { state in
      state.requests.append(Request(range: range))
      return (state.requests.count - 1, state.next.isEmpty ? state.usual : state.next.removeFirst(), state.chunk)
    }
    switch behaviour {
    case .failing(let failure): throw failure
    case .silent:
      await Self.sleepUntilCancelled()
      throw .passing(.unreachable("cancelled"))
    default: break
    }
    return TestStream(source: self, number: number, range: range, behaviour: behaviour, chunk: chunk)
  }

  static func sleepUntilCancelled() async {
    while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
  }

  func waitForPermit() async {
    while !Task.isCancelled {
      let isGranted = state.withLock { state -> Bool in
        guard let permits = state.permits else { return true }
        guard permits > 0 else { return false }
        state.permits = permits - 1
        return true
      }
      if isGranted { return }
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let isToWait = state.withLock { state in
            guard (state.permits ?? 1) <= 0, !Task.isCancelled else { return false }
            state.waiting.append(continuation)
            return true
          }
          if !isToWait { continuation.resume() }
        }
      } onCancel: {
        let woken = state.withLock { state in
          defer { state.waiting = [] }
          return state.waiting
        }
        for continuation in woken { continuation.resume() }
      }
    }
  }
}

final class TestStream: RangeStream, Sendable {
  private let source: TestSource
  private let number: Int
  private let range: Range<UInt64>
  private let behaviour: TestSource.Behaviour
  private let chunk: Int
  private let position: Mutex<UInt64>

  init(source: TestSource, number: Int, range: Range<UInt64>, behaviour: TestSource.Behaviour, chunk: Int) {
    self.source = source
    self.number = number
    self.range = range
    self.behaviour = behaviour
    self.chunk = chunk
    position = Mutex(range.lowerBound)
  }

  deinit { source.state.withLock { $0.requests[number].isOver = true } }

  func next() async throws(FetchFailure) -> [UInt8]? {
    await source.waitForPermit()
    guard !Task.isCancelled else { throw .passing(.unreachable("cancelled")) }
    let start = position.withLock { $0 }
    let delivered = Int(start - range.lowerBound)
    var end = min(start + UInt64(chunk), range.upperBound)
    switch behaviour {
    case .failingAfter(let count, let failure):
      guard delivered < count else { throw failure }
      end = min(end, range.lowerBound + UInt64(count))
    case .endingAfter(let count):
      guard delivered < count else { return nil }
      end = min(end, range.lowerBound + UInt64(count))
    case .stallingAfter(let count):
      if delivered >= count {
        await TestSource.sleepUntilCancelled()
        throw .passing(.unreachable("cancelled"))
      }
      end = min(end, range.lowerBound + UInt64(count))
    case .tooMuch(let count):
      end = min(start + UInt64(chunk), min(range.upperBound + UInt64(count), UInt64(source.content.count)))
    case .good, .failing, .silent: break
    }
    guard start < end else { return nil }
    position.withLock { $0 = end }
    source.state.withLock { $0.requests[number].delivered += end - start }
    await Task.yield()
    return Array(source.content[Int(start)..<Int(end)])
  }
}

extension MediaCacheLimits {
  /// Limits for recordings of some hundred bytes, and for a robot that is asked again at once. On a busy machine a
  /// fetch may be silent for seconds, so no rival is sent for it.
  static var small: MediaCacheLimits {
    var limits = MediaCacheLimits()
    limits.rival = .seconds(1000)
    limits.plan.sliver = 8
    limits.waitAheadBytes = 16
    limits.lookAheadBytes = 0
    limits.commitBytes = 64
    limits.commitDelay = .milliseconds(1)
    limits.fragmentBytes = 48
    limits.checksumBytes = 16
    limits.retryBase = .zero
    limits.retryMaximum = .zero
    limits.storeAgain = .zero
    limits.tick = .milliseconds(1)
    limits.reservationBytes = 32
    limits.readBytes = 40
    limits.giveUp = .seconds(30)
    return limits
  }
}

/// Returns bytes that differ from every shifted copy of themselves.
func testBytes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
  var random = SeededGenerator(seed: seed)
  return (0..<count).map { _ in UInt8.random(in: 1...255, using: &random) }
}

extension PlaybackReader {
  /// Returns all bytes of the reader's range.
  func readAll(step: Int = 100) async throws(MediaCacheError) -> [UInt8] {
    var bytes: [UInt8] = []
    while UInt64(bytes.count) < range.upperBound - range.lowerBound {
      bytes += try await read(at: range.lowerBound + UInt64(bytes.count), count: step)
    }
    return bytes
  }
}

extension Playback {
  func readAll(_ range: Range<UInt64>? = nil, step: Int = 100) async throws(MediaCacheError) -> [UInt8] {
    try await reader(of: range ?? 0..<version.length).readAll(step: step)
  }
}

let testKey = RecordingKey(robot: "sha256/A", name: "front/one")
func testVersion(_ content: [UInt8], _ tag: String = "1") -> RecordingVersion {
  RecordingVersion(tag: "\"\(tag)\"", length: UInt64(content.count))
}
