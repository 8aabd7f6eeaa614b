internal import FootageCore
internal import FootageSystem

/// The body of an answer from memory, with the fault that is applied to it.
actor MemoryBody: MediaBody {
  private var rest: ArraySlice<UInt8>
  private let fault: RobotFault?
  private let clock: FootageSystem.Clock
  private let onSent: @Sendable (Int) -> Void

  /// The most bytes of a piece.
  private static let pieceLength = 64 << 10

  init(
    _ bytes: ArraySlice<UInt8>, _ fault: RobotFault?, _ clock: FootageSystem.Clock,
    onSent: @escaping @Sendable (Int) -> Void
  ) {
    switch fault {
    case .cutOff(let count), .stalled(let count), .short(let count): rest = bytes.prefix(max(0, count))
    default: rest = bytes
    }
    self.fault = fault
    self.clock = clock
    self.onSent = onSent
  }

  func next() async throws(TransportFailure) -> [UInt8]? {
    guard !Task.isCancelled else { throw .cancelled }
    var length = Self.pieceLength
    if case .slow(let rate) = fault, !rest.isEmpty {
      let rate = max(1, rate)
      length = max(1, min(length, rate / 10))
      do {
        try await clock.sleep(for: .nanoseconds(Int64(length) * 1_000_000_000 / Int64(rate)))
      } catch { throw .cancelled }
    }
    let piece = Array(rest.prefix(length))
    rest = rest.dropFirst(length)
    onSent(piece.count)
    guard piece.isEmpty else { return piece }
    switch fault {
    case .cutOff: throw .passing("the connection was cut off")
    case .stalled:
      await InMemoryRobot.forever()
      throw .cancelled
    default: return nil
    }
  }
}
