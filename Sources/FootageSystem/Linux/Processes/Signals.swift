internal import CFootageLinux
internal import Glibc

/// A request to this process from outside.
package enum Signal: CInt, CaseIterable, Sendable {
  case hangUp = 1
  case interrupt = 2
  case terminate = 15
}

/// The signals of the process as values, which a thread reads one by one, instead of handlers that interrupt it.
package struct Signals: ~Copyable {
  private let descriptor: CInt
  /// The wake-up that ends a wait without a signal.
  package let wakeUp: WakeUp

  /// Blocks the signals for this thread and for all threads that it starts from now on. Call it before there are other
  /// threads.
  package init() throws(SystemError) {
    let wakeUp = try WakeUp()
    // A program that writes to a pipe without a reader then gets an error instead of being ended.
    let numbers = Signal.allCases.map(\.rawValue) + [SIGPIPE]
    let descriptor = unsafe clinux_signalfd(numbers, CInt(numbers.count))
    guard descriptor >= 0 else { throw .current("signalfd") }
    self.wakeUp = wakeUp
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Waits for the next signal, until the deadline or a wake-up at most. Blocks the thread.
  ///
  /// - Parameter deadline: on the system's clock.
  /// - Returns: nil if the deadline passed first, or a wake-up came.
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
