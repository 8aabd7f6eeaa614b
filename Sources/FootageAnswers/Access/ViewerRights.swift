package import FootageAPI

/// A right beside watching, in the words of `viewers.conf`.
package enum ViewerPermission: String, CaseIterable, Sendable {
  /// Protect recordings from being deleted.
  case keep
  /// Give that up again.
  case release
  /// See how the robot is, and refused files as they are.
  case status
  /// Hand on what it gets: it is a cache that checks its own viewers.
  case share
}

/// The cameras that one viewer may see, and the rights beside watching.
package struct ViewerRights: Hashable, Sendable {
  package var cameras: CameraSelection
  package var permissions: Set<ViewerPermission>

  package init(cameras: CameraSelection, permissions: Set<ViewerPermission>) {
    self.cameras = cameras
    self.permissions = permissions
  }

  /// The rights of a viewer whom no line is for.
  package static let none = ViewerRights(cameras: .none, permissions: [])

  package func isSubset(of other: ViewerRights) -> Bool {
    cameras.isSubset(of: other.cameras) && permissions.isSubset(of: other.permissions)
  }
}
