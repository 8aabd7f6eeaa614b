/// The state of one descriptor in a loop: whether it can be read and written, and the tasks that wait until it can.

internal import FootageSystem

/// A handler that runs on the loop when a descriptor becomes readable, before the task that waits for it is woken.
protocol ReadHandler: AnyObject {
  /// - Parameter deadline: the deadline of the wait, which may be moved.
  /// - Returns: true if the task can continue to sleep.
  func becameReadable(_ deadline: inout Deadline) -> Bool
}

/// The registration of a descriptor with a loop. Belongs to the loop's thread.
final class PollRegistration {
  /// The event for which a task waits: bytes to read, room to write, or whichever comes first.
  enum Direction { case read, write, either }

  enum Outcome: Sendable {
    case ready
    case deadlinePassed
    case aborted
  }

  private struct Waiter {
    var suspension: Suspension<Outcome>
    var deadline: Deadline
    var readHandler: (any ReadHandler)?
    /// True if a wait to write also ends when there are bytes to read.
    var takesReadable = false
  }

  let descriptor: CInt
  let generation: UInt32
  /// True until a read finds nothing. Edge-triggered events set it again. The same is true of `isWritable` and writes.
  var isReadable = true
  var isWritable = true
  /// True once the end of the connection was reported, perhaps in the same event as the last bytes. No further event
  /// reports it.
  private(set) var hasHungUp = false
  /// The action to be called once, when the peer ends the connection.
  private var hangUpAction: (() -> Void)?
  private var isAborted = false
  private var reader: Waiter?
  private var writer: Waiter?
  /// The task that waits for `endHold`. Meanwhile, arriving bytes stay in the kernel.
  private var holder: (suspension: Suspension<Outcome>, deadline: Deadline)?

  init(descriptor: CInt, generation: UInt32) {
    self.descriptor = descriptor
    self.generation = generation
  }

  /// Waits until the descriptor may be tried again. Each direction has one waiter.
  func wait(toReady direction: Direction, until deadline: Deadline, readHandler: (any ReadHandler)? = nil) async
    -> Outcome
  {
    await Suspension.suspend { suspension in
      // Checked here, where nothing can come in between: an edge that was missed never comes again.
      let isReady =
        switch direction {
        case .read: isReadable
        case .write: isWritable
        case .either: isReadable || isWritable
        }
      if isAborted {
        suspension.resume(returning: .aborted)
      } else if isReady {
        suspension.resume(returning: .ready)
      } else {
        let waiter = Waiter(
          suspension: suspension, deadline: deadline, readHandler: readHandler, takesReadable: direction == .either)
        if direction == .read { reader = waiter } else { writer = waiter }
      }
    }
  }

  /// Waits until `endHold` is called or the peer ends the connection, and ignores other events of the descriptor. Only
  /// one task may wait.
  func hold(until deadline: Deadline) async -> Outcome {
    await Suspension.suspend { suspension in
      if isAborted || hasHungUp {
        suspension.resume(returning: .aborted)
      } else {
        holder = (suspension, deadline)
      }
    }
  }

  /// Ends a hold, if there is one.
  func endHold(_ outcome: Outcome = .ready) {
    guard let (suspension, _) = holder else { return }
    holder = nil
    suspension.resume(returning: outcome)
  }

  func receive(_ news: Poller.News) {
    if news.contains(.peerEnded) {
      hasHungUp = true
      hangUp()
    }
    if news.contains(.readable) {
      isReadable = true
      if !isDealtWith() { resume(.read, .ready) }
      if let writer, writer.takesReadable { resume(.write, .ready) }
    }
    if news.contains(.writable) {
      isWritable = true
      resume(.write, .ready)
    }
  }

  private func isDealtWith() -> Bool {
    guard let waiter = reader, let readHandler = waiter.readHandler else { return false }
    var deadline = waiter.deadline
    guard readHandler.becameReadable(&deadline) else { return false }
    reader?.deadline = deadline
    return true
  }

  /// Calls `action` when the peer ends the connection or this registration ends, or at once if it has ended already.
  func onHangUp(_ action: (() -> Void)?) {
    hangUpAction = action
    if hasHungUp || isAborted { hangUp() }
  }

  private func hangUp() {
    endHold(.aborted)
    guard let action = hangUpAction else { return }
    hangUpAction = nil
    action()
  }

  func expire(at now: Deadline) {
    // Nothing but the deadlines is read, because thousands are checked in a row.
    if let deadline = reader?.deadline, deadline <= now { resume(.read, .deadlinePassed) }
    if let deadline = writer?.deadline, deadline <= now { resume(.write, .deadlinePassed) }
    if let deadline = holder?.deadline, deadline <= now { endHold(.deadlinePassed) }
  }

  /// Ends all waits, including future ones.
  func abort() {
    isAborted = true
    hangUp()
    resume(.read, .aborted)
    resume(.write, .aborted)
  }

  private func resume(_ direction: Direction, _ outcome: Outcome) {
    if direction == .read {
      guard let waiter = reader else { return }
      reader = nil
      waiter.suspension.resume(returning: outcome)
    } else {
      guard let waiter = writer else { return }
      writer = nil
      waiter.suspension.resume(returning: outcome)
    }
  }
}
