internal import Synchronization

/// The progress of the search for recordings. Any thread may read it.
package final class FleetProgress: Sendable {
  private let state: Mutex<FleetStatus>

  package init(store: String) { state = Mutex(FleetStatus(store: store)) }

  package var status: FleetStatus { state.withLock { $0 } }

  func change(_ body: (inout FleetStatus) -> Void) { state.withLock { body(&$0) } }
}
