internal import CLinux
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

  /// Blocks the signals for this thread and for all that it starts from now on: call it before there are others.
  package init() throws(SystemError) {
    // Whoever writes to a pipe that nobody reads gets an error, not a death.
    let numbers = Signal.allCases.map(\.rawValue) + [SIGPIPE]
    descriptor = unsafe clinux_signalfd(numbers, CInt(numbers.count))
    guard descriptor >= 0 else { throw .current("signalfd") }
  }

  deinit { close(descriptor) }

  /// Waits for the next signal, at most until the deadline. Blocks the thread.
  ///
  /// - Parameter deadline: on the system's clock.
  /// - Returns: nil where it passed first.
  package func next(until deadline: Deadline) -> Signal? {
    while true {
      let milliseconds = Clock.system.patience(until: deadline)
      guard milliseconds != 0 else { return nil }
      var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&request, 1, milliseconds) > 0 else { continue }
      if let signal = Signal(rawValue: clinux_next_signal(descriptor)) { return signal }
    }
  }
}
