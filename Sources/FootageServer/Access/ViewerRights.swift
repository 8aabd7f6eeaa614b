internal import FootageLibrary

/// What a viewer may do beside watching, in the words of `viewers.conf`.
enum ViewerPermission: String, CaseIterable, Sendable {
  /// Protect recordings from being deleted.
  case keep
  /// Give that up again.
  case release
  /// See how the robot is, and refused files as they are.
  case status
  /// Hand on what it gets: it is a cache that checks its own viewers.
  case share
}

/// What one viewer may see and do.
struct ViewerRights: Hashable, Sendable {
  var cameras: CameraSelection
  var permissions: Set<ViewerPermission>

  /// Of a viewer whom no line is for.
  static let none = ViewerRights(cameras: .none, permissions: [])

  func isSubset(of other: ViewerRights) -> Bool {
    cameras.isSubset(of: other.cameras) && permissions.isSubset(of: other.permissions)
  }
}
