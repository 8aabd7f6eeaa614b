package import FootageSystem
internal import FootageTLS

/// What takes bytes as they come.
package protocol ReceivedBytesHandler: AnyObject {
  /// Takes bytes, which are lent for this call; nothing may be waited for in it.
  ///
  /// - Returns: until when to wait for more; nil where the task that waits to receive has to go on.
  func receive(_ bytes: UnsafeRawBufferPointer) -> Deadline?
}

/// How what comes is dealt with on the loop, while the task that waits for it sleeps.
extension Stream {
  /// Hands what comes to `receiver` until that wants the task to go on, which sleeps meanwhile, whatever comes: a
  /// request that can be answered at once is worth less than waking a task for it.
  ///
  /// - Returns: false where the peer has ended the connection.
  package func receive(until deadline: Deadline, into receiver: any ReceivedBytesHandler) async throws(StreamError)
    -> Bool
  {
    var deadline = deadline
    while true {
      switch try nextOutcome(for: receiver, &deadline) {
      case .wakes: return true
      case .closed: return false
      case .taken:
        // A peer that sends without a pause must not keep the others waiting, nor be spared its deadline.
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
    /// It was dealt with, and there may be more.
    case taken
    /// There is nothing, or not enough of it: the rest of a record has to come.
    case nothing
  }

  /// What came of what is there by now, or was there while the task slept.
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

  /// Once, so that a peer that sends without a pause does not keep the loop.
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
