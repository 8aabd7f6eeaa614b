package import FootageSystem
internal import FootageTLS

/// A receiver that handles bytes as they arrive.
package protocol ReceivedBytesHandler: AnyObject {
  /// Handles bytes that are lent for this call, without a wait.
  ///
  /// - Returns: the time until which to wait for more; nil if the task that waits to receive has to go on.
  func receive(_ bytes: UnsafeRawBufferPointer) -> Deadline?
}

/// The handling of arriving bytes on the loop, while the task that waits for them sleeps.
extension Stream {
  /// Passes arriving bytes to `receiver` until that wants the task to go on. The task sleeps meanwhile: waking it would
  /// cost more than a request that can be answered at once.
  ///
  /// - Returns: false if the peer has ended the connection.
  package func receive(until deadline: Deadline, into receiver: any ReceivedBytesHandler) async throws(StreamError)
    -> Bool
  {
    var deadline = deadline
    while true {
      switch try nextOutcome(for: receiver, &deadline) {
      case .wakes: return true
      case .closed: return false
      case .taken:
        // A peer that sends without a pause must neither keep the others waiting nor escape its deadline.
        await loop.yield()
        try checkTime(until: deadline)
      case .nothing:
        self.receiver = receiver
        defer { self.receiver = nil }
        try await wait(toReady: .read, until: deadline, readHandler: self)
      }
    }
  }

  enum ReadOutcome {
    /// The task has to go on.
    case wakes
    case closed
    /// The bytes were handled, and there may be more.
    case taken
    /// There is nothing, or only part of a record, the rest of which has to arrive.
    case nothing
  }

  /// Returns the outcome of the bytes that are there now, or of those that were handled while the task slept.
  @inline(never)
  private func nextOutcome(
    for receiver: any ReceivedBytesHandler, _ deadline: inout Deadline
  ) throws(StreamError) -> ReadOutcome {
    guard let atReflex = handlerOutcome else { return try passOn(to: receiver, &deadline) }
    handlerOutcome = nil
    let (outcome, next) = try atReflex.get()
    deadline = next
    return outcome
  }

  @inline(never)
  private func checkTime(until deadline: Deadline) throws(StreamError) {
    guard deadline > loop.clock.now else { throw .deadlinePassed }
  }

  /// Passes bytes on once, so that a peer that sends without a pause does not occupy the loop.
  @inline(never)
  private func passOn(to receiver: any ReceivedBytesHandler, _ deadline: inout Deadline) throws(StreamError)
    -> ReadOutcome
  {
    var goesOn = true
    let received = unsafe try receiveNow { bytes in
      if let next = unsafe receiver.receive(bytes) { deadline = next } else { goesOn = false }
    }
    return switch received {
    case .closed: .closed
    case .wouldBlock: .nothing
    case .lent: goesOn ? .taken : .wakes
    }
  }
}

extension Stream: ReadHandler {
  func becameReadable(_ deadline: inout Deadline) -> Bool {
    guard let receiver else { return false }
    do throws(StreamError) {
      let outcome = try passOn(to: receiver, &deadline)
      switch outcome {
      case .nothing: return true
      case .taken where !registration.isReadable && !(tls?.hasPending ?? false): return true
      default: handlerOutcome = .success((outcome, deadline))
      }
    } catch {
      handlerOutcome = .failure(error)
    }
    return false
  }
}
