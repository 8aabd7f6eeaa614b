/// The result of one request to a robot, for an app's log or a screen that shows the quality of the link.
public struct RequestMetrics: Hashable, Sendable {
  /// The way in which the request ended.
  public enum Outcome: Hashable, Sendable {
    /// The whole answer arrived.
    case complete
    /// The request was abandoned: the rest was not wanted.
    case abandoned
    /// The request failed, or broke off.
    case failed(TransportFailure)
  }

  /// The path and query, percent-encoded.
  public var target: String
  /// The requested range, half-open and in bytes; nil if none was requested.
  public var range: Range<UInt64>?
  /// The status (RFC 9110 §15); nil if there was no answer.
  public var status: Int?
  /// The time from the request to a connection over which it could be sent. It is close to zero if one was open.
  /// Otherwise it includes the name lookup, connecting and TLS, or waiting for a connection to become free. Nil if
  /// there was no answer, or the transport does not say.
  public var timeToConnection: Duration?
  /// The time from the request to the head of its answer, including `timeToConnection`; nil if there was no answer.
  public var timeToAnswer: Duration?
  /// The time from the request to its end.
  public var duration: Duration
  /// The bytes of the body that arrived.
  public var receivedBytes: UInt64
  public var outcome: Outcome

  /// - Parameters:
  ///   - target: the path and query, percent-encoded.
  ///   - range: half-open, in bytes.
  ///   - status: nil if there was no answer.
  ///   - timeToConnection: from the request to a connection over which it could be sent.
  ///   - timeToAnswer: from the request to the head of its answer.
  ///   - duration: from the request to its end.
  ///   - receivedBytes: the number of bytes of the body that arrived.
  ///   - outcome: the way in which the request ended.
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

  /// The bytes per second since the head of the answer; nil if none arrived.
  public var bytesPerSecond: Double? {
    guard let timeToAnswer, receivedBytes > 0, duration > timeToAnswer else { return nil }
    return Double(receivedBytes) / ((duration - timeToAnswer) / .seconds(1))
  }
}
