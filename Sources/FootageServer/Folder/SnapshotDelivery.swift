internal import FootageLibrary
internal import Synchronization

/// Hands the newest recordings to every loop, for whoever has changed one and must not be shown the old ones next.
final class SnapshotDelivery: Sendable {
  private let deliver = Mutex<(@Sendable (LibrarySnapshot) async -> Void)?>(nil)

  /// - Parameter deliver: returns when every loop goes by the snapshot.
  func begin(_ deliver: @escaping @Sendable (LibrarySnapshot) async -> Void) {
    self.deliver.withLock { $0 = deliver }
  }

  func callAsFunction(_ snapshot: LibrarySnapshot) async {
    let deliver = deliver.withLock { $0 }
    await deliver?(snapshot)
  }
}
