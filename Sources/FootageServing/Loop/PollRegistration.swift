/// What a loop knows of one descriptor: whether it can be read and written, and who waits for that.

internal import FootageSystem

/// What is done on the loop when a descriptor becomes readable, before the task that waits for it is woken.
protocol ReadHandler: AnyObject {
  /// - Parameter deadline: of the wait, which may be moved.
  /// - Returns: whether the task can sleep on.
  func becameReadable(_ deadline: inout Deadline) -> Bool
}

/// Belongs to its loop's thread.
final class PollRegistration {
  /// What is waited for: bytes to read, room to write, or whichever comes first.
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
    /// Of one that waits to write: whether bytes to read will do as well.
    var takesReadable = false
  }

  let descriptor: CInt
  let generation: UInt32
  /// Until a read or write says otherwise; edge-triggered events set them again.
  var isReadable = true
  var isWritable = true
  /// The peer's end has come, perhaps in the same event as its last bytes: no further edge will tell of it.
  private(set) var hasHungUp = false
  /// Called once when it comes.
  private var hangUpAction: (() -> Void)?
  private var isAborted = false
  private var reader: Waiter?
  private var writer: Waiter?
  /// Whoever waits for a word from this side, and what the descriptor has to read waits with it.
  private var holder: (suspension: Suspension<Outcome>, deadline: Deadline)?

  init(descriptor: CInt, generation: UInt32) {
    self.descriptor = descriptor
    self.generation = generation
  }

  /// Waits until the descriptor may be tried again. One waiter a direction.
  func wait(toReady direction: Direction, until deadline: Deadline, readHandler: (any ReadHandler)? = nil) async
    -> Outcome
  {
    await Suspension.suspend { suspension in
      // Looked at here, where nothing can come in between: an edge that was missed never comes again.
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

  /// Waits for `endHold`, and for the peer's end, whatever else the descriptor has. One waiter.
  func hold(until deadline: Deadline) async -> Outcome {
    await Suspension.suspend { suspension in
      if isAborted || hasHungUp {
        suspension.resume(returning: .aborted)
      } else {
        holder = (suspension, deadline)
      }
    }
  }

  /// Ends a hold, where there is one.
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

  /// Has `action` called when the peer's end comes, or this watch's; at once where it has come already.
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
    // Nothing but the deadlines is read: thousands are looked at in a row.
    if let deadline = reader?.deadline, deadline <= now { resume(.read, .deadlinePassed) }
    if let deadline = writer?.deadline, deadline <= now { resume(.write, .deadlinePassed) }
    if let deadline = holder?.deadline, deadline <= now { endHold(.deadlinePassed) }
  }

  /// Sends everybody away, now and from now on.
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
