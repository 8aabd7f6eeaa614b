internal import Synchronization

/// Where the status is looked up by whoever tells others of it. Never waits.
package final class OffloadBoard: Sendable {
  private let current: Mutex<OffloadStatus>

  package init(store: String) { current = Mutex(OffloadStatus(store: store)) }

  package var status: OffloadStatus { current.withLock { $0 } }

  func update(_ change: (inout OffloadStatus) -> Void) { current.withLock { change(&$0) } }
}
