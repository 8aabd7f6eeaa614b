internal import FootageLibrary
internal import Synchronization

/// The delivery of the newest snapshot to every loop. It ensures that after a change, the viewer's next request shows
/// the new state.
final class SnapshotDelivery: Sendable {
  private let deliver = Mutex<(@Sendable (LibrarySnapshot) async -> Void)?>(nil)

  /// - Parameter deliver: a closure that returns after every loop has adopted the snapshot.
  func begin(_ deliver: @escaping @Sendable (LibrarySnapshot) async -> Void) {
    self.deliver.withLock { $0 = deliver }
  }

  func callAsFunction(_ snapshot: LibrarySnapshot) async {
    let deliver = deliver.withLock { $0 }
    await deliver?(snapshot)
  }
}
