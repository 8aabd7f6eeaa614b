internal import FootageHTTP
internal import Synchronization
internal import FootageSystem

/// Holds a server's loops together to its rates: the schedule, and the tasks that wait for their turns.
///
/// Asked once a turn, by a server that has limits; others have none of these.
final class Pacer: Sendable {
  typealias Schedule = PacingSchedule<Viewer>

  private struct State {
    var schedule: Schedule
    var waiting: [Schedule.Ticket: Suspension<Void>] = [:]
  }

  /// In bytes.
  let turnByteCount: Int
  private let state: Mutex<State>
  private let clock: Clock

  init(_ limits: PacingLimits, clock: Clock) {
    self.clock = clock
    turnByteCount = limits.turnByteCount
    state = Mutex(State(schedule: Schedule(limits, at: clock.nanoseconds)))
  }

  func join(_ viewer: Viewer) { state.withLock { $0.schedule.join(viewer, at: clock.nanoseconds) } }

  func leave(_ viewer: Viewer) { state.withLock { $0.schedule.leave(viewer, at: clock.nanoseconds) } }

  /// Asks for a turn.
  ///
  /// - Returns: nil where it may be sent now; else what to `wait` for.
  func ask(for byteCount: Int, by viewer: Viewer, isSmall: Bool) -> Schedule.Ticket? {
    change { state in
      let ticket = state.schedule.ask(for: byteCount, by: viewer, isSmall: isSmall)
      let resumed = grant(in: &state)
      return (state.schedule.isWaiting(ticket) ? ticket : nil, resumed)
    }
  }

  /// Returns when the turn may be sent, or was cancelled.
  func wait(for ticket: Schedule.Ticket) async {
    await Suspension.suspend { suspension in
      // Other loops may have come to it in between.
      let isOver = state.withLock { state in
        guard state.schedule.isWaiting(ticket) else { return true }
        state.waiting[ticket] = suspension
        return false
      }
      if isOver { suspension.resume() }
    }
  }

  func cancel(_ ticket: Schedule.Ticket) {
    change { state in
      state.schedule.cancel(ticket)
      return ((), state.waiting.removeValue(forKey: ticket).map { [$0] } ?? [])
    }
  }

  func settle(_ asked: Int, sent: Int, by viewer: Viewer) {
    state.withLock { $0.schedule.settle(asked, sent: sent, by: viewer, at: clock.nanoseconds) }
  }

  /// Resumes all whose turn has come, on whatever loop.
  ///
  /// - Returns: when the next one's comes.
  func grantDue() -> Deadline? {
    change { state in
      let resumed = grant(in: &state)
      // The millisecond in which it has come.
      let next = state.schedule.nextGrant().map { Deadline(milliseconds: ($0 + 999_999) / 1_000_000) }
      return (next, resumed)
    }
  }

  private func grant(in state: inout State) -> [Suspension<Void>] {
    state.schedule.grant(at: clock.nanoseconds).compactMap { state.waiting.removeValue(forKey: $0) }
  }

  /// Changes the state, and resumes tasks after that.
  private func change<Result: Sendable>(_ body: (inout State) -> (Result, [Suspension<Void>])) -> Result {
    let (result, resumed) = state.withLock { body(&$0) }
    for suspension in resumed { suspension.resume() }
    return result
  }
}

/// The turns of one loop: it looks at the schedule for as long as any of its own tasks waits. Belongs to the loop's
/// thread.
final class LoopPacer {
  let pacer: Pacer
  private let loop: EventLoop
  private var waitingCount = 0
  private var timer: (timer: LoopTimer, due: Deadline)?

  init(_ pacer: Pacer, on loop: EventLoop) {
    self.pacer = pacer
    self.loop = loop
  }

  /// Waits until a turn may be sent over a stream, or until that is closed at this end.
  func waitForTurn(of byteCount: Int, by viewer: Viewer, isSmall: Bool, over stream: Stream) async {
    guard let ticket = pacer.ask(for: byteCount, by: viewer, isSmall: isSmall) else { return }
    // A peer that has sent its end may well go on reading. Sending tells.
    stream.onHangUp { [weak stream, pacer] in if stream?.isClosed ?? true { pacer.cancel(ticket) } }
    waitingCount += 1
    wakeInTime()
    await pacer.wait(for: ticket)
    waitingCount -= 1
    stream.onHangUp(nil)
  }

  private func wakeInTime() {
    guard waitingCount > 0, let next = pacer.grantDue() else { return }
    if let timer, timer.due <= next { return }
    timer?.timer.cancel()
    timer = (
      loop.schedule(at: next) { [weak self] in
        self?.timer = nil
        self?.wakeInTime()
      }, next
    )
  }
}
