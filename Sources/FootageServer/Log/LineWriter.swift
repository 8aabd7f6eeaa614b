/// Writes lines to standard error from a separate thread.

package import FootageSystem
internal import Synchronization

/// A writer of log lines with a bounded queue. If the reader of the log stalls, lines are dropped and counted, so that
/// no response is delayed.
package final class LineWriter: Sendable {
  private struct Queue {
    var bytes: [UInt8] = []
    var lost = 0
    var isClosed = false
  }

  private let queue = Mutex(Queue())
  private let wakeUp = Semaphore()
  private let hasEnded = Semaphore()
  private let thread = Mutex<Thread?>(nil)
  private let output: @Sendable ([UInt8]) -> Void

  private static let limitBytes = 1 << 20
  /// The time for which `close` waits until the last lines are written.
  private static let patience = Duration.seconds(1)

  /// - Parameter output: a closure that writes the lines and may block; standard error by default.
  package init(
    to output: @escaping @Sendable ([UInt8]) -> Void = { StandardError.write($0) }
  ) throws(SystemError) {
    self.output = output
    let started = try Thread.start("footage-log") { [self] in run() }
    thread.withLock { $0 = started }
  }

  func write(_ line: String) {
    queue.withLock { queue in
      guard queue.bytes.count + line.utf8.count <= Self.limitBytes else { return queue.lost += 1 }
      queue.bytes.append(contentsOf: line.utf8)
    }
    wakeUp.signal()
  }

  /// Writes the remaining lines and ends the thread. If the output is stalled, the thread is abandoned, so that the
  /// server can end.
  package func close() {
    queue.withLock { $0.isClosed = true }
    wakeUp.signal()
    guard let thread = thread.withLock({ $0.take() }), hasEnded.wait(until: Clock.system.deadline(after: Self.patience))
    else { return }
    thread.join()
  }

  private func run() {
    while true {
      wakeUp.wait()
      let (bytes, lost, isClosed) = queue.withLock { queue in
        defer {
          queue.bytes = []
          queue.lost = 0
        }
        return (queue.bytes, queue.lost, queue.isClosed)
      }
      if !bytes.isEmpty { output(bytes) }
      if lost > 0 {
        let words = lost == 1 ? "log line was lost: it was" : "log lines were lost: they were"
        output(Array("(\(lost) \(words) not read in time)\n".utf8))
      }
      if isClosed { return hasEnded.signal() }
    }
  }
}
