internal import CFootageLinux
internal import Glibc

/// What a process is asked to do from outside.
package enum Signal: CInt, CaseIterable, Sendable {
  case hangUp = 1
  case interrupt = 2
  case terminate = 15
}

/// The signals of the process as values that are read one by one, on the thread that asks, instead of handlers that
/// interrupt.
package struct Signals: ~Copyable {
  private let descriptor: CInt
  /// Ends a wait without a signal.
  package let wakeUp: WakeUp

  /// Blocks the signals for this thread and for all that it starts from now on: call it before there are others.
  package init() throws(SystemError) {
    let wakeUp = try WakeUp()
    // Whoever writes to a pipe that nobody reads gets an error, not a death.
    let numbers = Signal.allCases.map(\.rawValue) + [SIGPIPE]
    let descriptor = unsafe clinux_signalfd(numbers, CInt(numbers.count))
    guard descriptor >= 0 else { throw .current("signalfd") }
    self.wakeUp = wakeUp
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Waits for the next signal, at most until the deadline or until it is woken. Blocks the thread.
  ///
  /// - Parameter deadline: on the system's clock.
  /// - Returns: nil where it passed first, or was woken.
  package func next(until deadline: Deadline) -> Signal? {
    while true {
      let milliseconds = Clock.system.patience(until: deadline)
      guard milliseconds != 0 else { return nil }
      var polled = [descriptor, wakeUp.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      guard unsafe poll(&polled, nfds_t(polled.count), milliseconds) > 0 else { continue }
      guard polled[0].revents != 0 else {
        wakeUp.take()
        return nil
      }
      if let signal = Signal(rawValue: clinux_next_signal(descriptor)) { return signal }
    }
  }
}
