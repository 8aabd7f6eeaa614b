internal import FootageHTTP
internal import FootageSystem

/// The messages that a connection and its state machine exchange.
extension HTTPConnection.StateMachine {
  /// The input that has to be answered.
  enum Incoming {
    case request(RequestHead)
    case refused(MessageRefusal)
    /// A client has no certificate, although one is required. The head is nil if it cannot be read.
    case uncertified(RequestHead?)
    /// Bytes came without TLS where TLS is required.
    case insecure(authority: String?)
  }

  enum Action {
    /// Wait for bytes, until this time.
    case receive(until: Deadline)
    /// Answer this, and then call `answered`.
    case answer(Incoming)
    /// Send a goodbye, and close.
    case close
    /// Send a goodbye, and close after the client has had the time to read the answer (RFC 9112 §9.6).
    case linger
    /// Close without a goodbye, so that the client does not mistake what was sent for the whole.
    case abort
    /// Close without a goodbye, because of this error.
    case fail(StreamError)
  }

  /// The interruption of a connection from outside, whatever it is doing.
  enum Interruption: Hashable {
    /// Do nothing. A connection that has to end does so by itself, soon.
    case none
    /// Send a goodbye, and close.
    case close
    /// End the hold, so that the request is answered now.
    case endHold
    /// Close without a goodbye, and drop what the kernel has yet to send.
    case abort
  }

  /// The way in which a connection goes on after an answer.
  enum Continuation: Hashable {
    /// It goes on with the next request, unless the server stops.
    case kept
    /// It closes.
    case closed
    /// It closes, but a reset because of unread bytes must not destroy the answer before the client has seen it.
    case lingering
    /// It closes without a goodbye, because not all of the answer was sent.
    case cutOff
  }

  /// The progress of dropping the end of a body that no handler reads.
  enum Dropping: Hashable {
    /// All of it is taken, so that the next request can be found after it.
    case dropped
    /// More has to arrive.
    case needsMore
    /// The rest is too large to wait for, or the client has not sent it yet.
    case left
  }
}
