internal import FootageHTTP
internal import FootageSystem

/// The messages that a connection and its state machine exchange.
extension HTTPConnection.StateMachine {
  /// An input that must be answered.
  enum Incoming {
    case request(RequestHead)
    case refused(MessageRefusal)
    /// A client has no certificate, although one is required. The head is nil if it cannot be read.
    case uncertified(RequestHead?)
    /// The client sent bytes without TLS, although TLS is required.
    case insecure(authority: String?)
  }

  enum Action {
    /// Wait for bytes, until this time.
    case receive(until: Deadline)
    /// Answer this, and then call `answered`.
    case answer(Incoming)
    /// Close in an orderly way.
    case close
    /// End sending in an orderly way, and close after the client has had time to read the answer (RFC 9112 §9.6).
    case linger
    /// Close without a closing message, so that the client does not take the sent part for the complete answer.
    case abort
    /// Close without a closing message, because of this error.
    case fail(StreamError)
  }

  /// The interruption of a connection by another task, in any state.
  enum Interruption: Hashable {
    /// Do nothing. If the connection must end, it does so by itself, soon.
    case none
    /// Close in an orderly way.
    case close
    /// End the hold, so that the request is answered now.
    case endHold
    /// Close without a closing message, and discard the bytes that the kernel has not sent yet.
    case abort
  }

  /// The behavior of a connection after an answer.
  enum Continuation: Hashable {
    /// The connection continues with the next request, unless the server stops.
    case kept
    /// The connection closes.
    case closed
    /// The connection closes after a delay, because unread bytes would cause a reset, which could destroy the answer
    /// before the client has read it.
    case lingering
    /// The connection closes without a closing message, because not all of the answer was sent.
    case cutOff
  }

  /// The progress of discarding the rest of a body that the handler has not read.
  enum Dropping: Hashable {
    /// The whole rest has been discarded, so that the next request follows.
    case dropped
    /// More of the body must arrive.
    case needsMore
    /// The rest is too large to wait for, or the client has not sent it yet.
    case left
  }
}
