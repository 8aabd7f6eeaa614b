/// Writes lines to standard error from a thread of its own.

package import FootageSystem
internal import Synchronization

/// The queue is bounded: a reader that stands still costs lines, which are counted, and never a response.
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
  /// How long the last lines wait for a reader.
  private static let patience = Duration.seconds(1)

  /// - Parameter output: takes the lines, and may block; standard error where nothing is said.
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

  /// Writes what is left and ends the thread; where nobody reads, it is left behind, since a terminal that stands still
  /// must not keep a server from ending.
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
      if lost > 0 { output(Array("(\(lost) lines of the log were lost: nobody read them)\n".utf8)) }
      if isClosed { return hasEnded.signal() }
    }
  }
}
