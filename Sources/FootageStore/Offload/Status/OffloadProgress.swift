package import FootageAPI
internal import Synchronization

/// The progress of bringing recordings into the store, for the parts that report it. Never waits.
package final class OffloadProgress: Sendable {
  private let current: Mutex<OffloadReport>

  package init(store: String) { current = Mutex(OffloadReport(store: store)) }

  package var report: OffloadReport { current.withLock { $0 } }

  func update(_ change: (inout OffloadReport) -> Void) { current.withLock { change(&$0) } }
}
