package import FootageSystem
internal import FootageTLS

/// A handler that processes bytes as they arrive, without waking a task.
package protocol ReceivedBytesHandler: AnyObject {
  /// Processes bytes, which are valid only during this call, without a wait.
  ///
  /// - Returns: the time until which to wait for more; nil if the waiting task must continue.
  func receive(_ bytes: UnsafeRawBufferPointer) -> Deadline?
}

/// The handling of arriving bytes on the loop, while the task that waits for them sleeps.
extension Stream {
  /// Passes arriving bytes to `receiver` until that returns nil. The task sleeps meanwhile, because waking it would
  /// cost more than answering a simple request.
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
    /// The task must continue.
    case wakes
    case closed
    /// The bytes were handled, and there may be more.
    case taken
    /// No bytes have arrived, or only a part of a record.
    case nothing
  }

  /// Returns the outcome of the bytes that have arrived, or of those that were handled while the task slept.
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
