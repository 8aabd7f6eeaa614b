internal import FootageHTTP
internal import FootageSystem

/// What its state machine and a connection say to each other.
extension HTTPConnection.StateMachine {
  /// What is to be answered.
  enum Incoming {
    case request(RequestHead)
    case refused(MessageRefusal)
    /// Of a client without a certificate, where one is required; nil where it cannot be read.
    case uncertified(RequestHead?)
    /// It came without TLS, where TLS is spoken.
    case insecure(authority: String?)
  }

  enum Action {
    /// Wait for bytes, until then.
    case receive(until: Deadline)
    /// Answer this, and say `answered` then.
    case answer(Incoming)
    /// Say goodbye, and close.
    case close
    /// Say goodbye, and close when the client has had the time to read the answer (RFC 9112 §9.6).
    case linger
    /// Close without a goodbye, so that nobody takes what was sent for the whole.
    case abort
    /// The same, since this has happened.
    case fail(StreamError)
  }

  /// What is done to a connection from outside, whatever it is doing.
  enum Interruption: Hashable {
    /// It ends by itself, soon.
    case none
    /// Say goodbye, and close.
    case close
    /// End the hold, so that the request is answered now.
    case endHold
    /// Close without a goodbye, and let go of what the kernel has yet to send.
    case abort
  }

  /// How it goes on after an answer.
  enum Continuation: Hashable {
    /// With the next request, unless the server stops.
    case kept
    /// Not at all.
    case closed
    /// Not at all, but what was not read must not be thrown away by a reset before the client has seen the answer.
    case lingering
    /// Not at all: not all of the answer was sent.
    case cutOff
  }

  /// How far the end of a body is that nobody reads.
  enum Dropping: Hashable {
    /// All of it is taken: the next request can be found behind it.
    case dropped
    /// More has to come.
    case needsMore
    /// It is too large to wait for, or its client has not sent it yet.
    case left
  }
}
