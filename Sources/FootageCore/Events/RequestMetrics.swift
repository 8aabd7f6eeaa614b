/// What became of one request to a robot: for an app's log, or a screen that shows how good the link is.
public struct RequestMetrics: Hashable, Sendable {
  /// How it ended.
  public enum Outcome: Hashable, Sendable {
    /// All of the answer came.
    case complete
    /// It was given up: nobody wanted the rest.
    case abandoned
    /// It failed, or broke off.
    case failed(TransportFailure)
  }

  /// Path and query, percent-encoded.
  public var target: String
  /// Half-open, in bytes; nil where no range was asked for.
  public var range: Range<UInt64>?
  /// RFC 9110 §15; nil where there was no answer.
  public var status: Int?
  /// From the request to a connection that it could be sent over: next to nothing where one was open; else for finding
  /// the robot's address, connecting and TLS, or for a connection to become free. Nil where there was no answer, or the
  /// transport does not say.
  public var timeToConnection: Duration?
  /// From the request to the head of its answer, `timeToConnection` included; nil where there was none.
  public var timeToAnswer: Duration?
  /// From the request to its end.
  public var duration: Duration
  /// Of the body, as far as it came.
  public var receivedBytes: UInt64
  public var outcome: Outcome

  /// - Parameters:
  ///   - target: path and query, percent-encoded.
  ///   - range: half-open, in bytes.
  ///   - status: nil where there was no answer.
  ///   - timeToConnection: from the request to a connection that it could be sent over.
  ///   - timeToAnswer: from the request to the head of its answer.
  ///   - duration: from the request to its end.
  ///   - receivedBytes: of the body.
  ///   - outcome: how it ended.
  public init(
    target: String, range: Range<UInt64>? = nil, status: Int? = nil, timeToConnection: Duration? = nil,
    timeToAnswer: Duration? = nil, duration: Duration, receivedBytes: UInt64 = 0, outcome: Outcome = .complete
  ) {
    self.target = target
    self.range = range
    self.status = status
    self.timeToConnection = timeToConnection
    self.timeToAnswer = timeToAnswer
    self.duration = duration
    self.receivedBytes = receivedBytes
    self.outcome = outcome
  }

  /// In bytes, from the head of the answer on; nil where nothing came.
  public var bytesPerSecond: Double? {
    guard let timeToAnswer, receivedBytes > 0, duration > timeToAnswer else { return nil }
    return Double(receivedBytes) / ((duration - timeToAnswer) / .seconds(1))
  }
}
