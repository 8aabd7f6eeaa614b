internal import Synchronization

/// The progress of the search for recordings, readable by all threads.
package final class FleetProgress: Sendable {
  private let state: Mutex<FleetStatus>

  package init(store: String) { state = Mutex(FleetStatus(store: store)) }

  package var status: FleetStatus { state.withLock { $0 } }

  func change(_ body: (inout FleetStatus) -> Void) { state.withLock { body(&$0) } }
}
