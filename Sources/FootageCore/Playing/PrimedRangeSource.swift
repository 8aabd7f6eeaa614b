internal import Synchronization
internal import FootageSystem

/// A source of a robot's bytes that has already requested the first of them. If no reader asks for these for a while,
/// their connection is released.
final class PrimedRangeSource: RangeSource {
  private let source: any RangeSource
  private let primed: Mutex<Primed?>
  private let timer: Mutex<Task<Void, Never>?>

  private struct Primed: Sendable {
    let range: Range<UInt64>
    let stream: any RangeStream
  }

  /// - Parameters:
  ///   - range: the range that the stream delivers.
  ///   - patience: how long the stream waits for a reader.
  init(
    _ source: any RangeSource, _ stream: any RangeStream, _ range: Range<UInt64>, for patience: Duration,
    clock: Clock
  ) {
    self.source = source
    primed = Mutex(Primed(range: range, stream: stream))
    timer = Mutex(nil)
    let task = Task { [weak self] in
      await clock.pause(for: patience)
      guard !Task.isCancelled else { return }
      self?.primed.withLock { $0 = nil }
    }
    timer.withLock { $0 = task }
  }

  deinit { timer.withLock { $0 }?.cancel() }

  func open(
    _ range: Range<UInt64>, of key: RecordingKey, _ version: RecordingVersion
  ) async throws(FetchFailure) -> any RangeStream {
    guard let first = take(from: range.lowerBound) else { return try await source.open(range, of: key, version) }
    return PrimedStream(first.stream, first.range, then: range) { [source] rest async throws(FetchFailure) in
      try await source.open(rest, of: key, version)
    }
  }

  func openAnew(
    _ range: Range<UInt64>, of key: RecordingKey, _ version: RecordingVersion
  ) async throws(FetchFailure) -> any RangeStream { try await source.openAnew(range, of: key, version) }

  func index(of key: RecordingKey, _ version: RecordingVersion) async throws(FetchFailure) -> [UInt8] {
    try await source.index(of: key, version)
  }

  func item(of key: RecordingKey) async throws(FetchFailure) -> RobotRecording { try await source.item(of: key) }

  private func take(from offset: UInt64) -> Primed? {
    primed.withLock { primed in
      guard let first = primed, first.range.lowerBound == offset else { return nil }
      primed = nil
      return first
    }
  }
}

/// A stream of the first bytes from one response, and of the wanted bytes after them from another response.
private actor PrimedStream: RangeStream {
  nonisolated let wasOpen = true
  private var stream: any RangeStream
  /// The offset of the next byte.
  private var position: UInt64
  /// The end of the bytes that the first stream delivers.
  private var streamEnd: UInt64
  private let end: UInt64
  private let open: @Sendable (Range<UInt64>) async throws(FetchFailure) -> any RangeStream

  init(
    _ stream: any RangeStream, _ range: Range<UInt64>, then wanted: Range<UInt64>,
    _ open: @escaping @Sendable (Range<UInt64>) async throws(FetchFailure) -> any RangeStream
  ) {
    self.stream = stream
    position = range.lowerBound
    streamEnd = range.upperBound
    end = wanted.upperBound
    self.open = open
  }

  func next() async throws(FetchFailure) -> [UInt8]? {
    guard position < end else { return nil }
    if position == streamEnd {
      stream = try await open(position..<end)
      streamEnd = end
    }
    guard let bytes = try await stream.next() else { throw .passing(.endedEarly) }
    let wanted = Array(bytes.prefix(Int(clamping: end - position)))
    position += UInt64(wanted.count)
    return wanted
  }
}
