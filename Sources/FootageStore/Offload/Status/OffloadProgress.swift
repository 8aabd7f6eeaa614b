package import FootageAPI
internal import Synchronization

/// Where it is looked up how bringing recordings into the store goes, by whoever tells others of it. Never waits.
package final class OffloadProgress: Sendable {
  private let current: Mutex<OffloadReport>

  package init(store: String) { current = Mutex(OffloadReport(store: store)) }

  package var report: OffloadReport { current.withLock { $0 } }

  func update(_ change: (inout OffloadReport) -> Void) { current.withLock { change(&$0) } }
}
