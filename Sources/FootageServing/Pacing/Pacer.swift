internal import FootageHTTP
internal import Synchronization
internal import FootageSystem

/// The pacing of all loops of a server, which share its rate limits: the schedule, and the tasks that wait for their
/// turns.
///
/// A connection asks it before each turn. A server without limits has no pacer.
final class Pacer: Sendable {
  typealias Schedule = PacingSchedule<Viewer>

  private struct State {
    var schedule: Schedule
    var waiting: [Schedule.Ticket: Suspension<Void>] = [:]
  }

  /// The size of a turn in bytes.
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

  /// Requests a turn.
  ///
  /// - Returns: nil if it may be sent now; otherwise the ticket to `wait` for.
  func ask(for byteCount: Int, by viewer: Viewer, isSmall: Bool) -> Schedule.Ticket? {
    change { state in
      let ticket = state.schedule.ask(for: byteCount, by: viewer, isSmall: isSmall)
      let resumed = grant(in: &state)
      return (state.schedule.isWaiting(ticket) ? ticket : nil, resumed)
    }
  }

  /// Returns when the turn may be sent, or when it was canceled.
  func wait(for ticket: Schedule.Ticket) async {
    await Suspension.suspend { suspension in
      // Other loops may have granted it in between.
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

  /// Resumes all tasks that are due, on any loop.
  ///
  /// - Returns: the time of the next turn.
  func grantDue() -> Deadline? {
    change { state in
      let resumed = grant(in: &state)
      // Rounded up to the millisecond in which it has come.
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

/// The turns of one loop. While one of the loop's tasks waits, it checks the schedule. Belongs to the loop's thread.
final class LoopPacer {
  let pacer: Pacer
  private let loop: EventLoop
  private var waitingCount = 0
  private var timer: (timer: LoopTimer, due: Deadline)?

  init(_ pacer: Pacer, on loop: EventLoop) {
    self.pacer = pacer
    self.loop = loop
  }

  /// Waits until a turn may be sent over a stream, or until this side closes the stream.
  func waitForTurn(of byteCount: Int, by viewer: Viewer, isSmall: Bool, over stream: Stream) async {
    guard let ticket = pacer.ask(for: byteCount, by: viewer, isSmall: isSmall) else { return }
    // A peer that has sent its end may well go on reading. Sending shows if it does.
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
