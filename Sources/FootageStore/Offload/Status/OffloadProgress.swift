package import FootageAPI
internal import Synchronization

/// The progress of copying recordings to the store, for health, metrics and commands. Its methods never wait.
package final class OffloadProgress: Sendable {
  private let current: Mutex<OffloadReport>

  package init(store: String) { current = Mutex(OffloadReport(store: store)) }

  package var report: OffloadReport { current.withLock { $0 } }

  func update(_ change: (inout OffloadReport) -> Void) { current.withLock { change(&$0) } }
}
