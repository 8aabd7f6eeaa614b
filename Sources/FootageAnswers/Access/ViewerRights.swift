package import FootageAPI

/// A right in addition to watching, as `viewers.conf` names it.
package enum ViewerPermission: String, CaseIterable, Sendable {
  /// The viewer may protect recordings from deletion.
  case keep
  /// The viewer may end the protection of recordings.
  case release
  /// The viewer may see the health of the robot, and refused files unchanged.
  case status
  /// The viewer may pass on what it receives: it is a cache that checks the rights of its own viewers.
  case share
}

/// The cameras that a viewer may see, and the rights in addition to watching.
package struct ViewerRights: Hashable, Sendable {
  package var cameras: CameraSelection
  package var permissions: Set<ViewerPermission>

  package init(cameras: CameraSelection, permissions: Set<ViewerPermission>) {
    self.cameras = cameras
    self.permissions = permissions
  }

  /// The rights of a viewer without a line of its own.
  package static let none = ViewerRights(cameras: .none, permissions: [])

  package func isSubset(of other: ViewerRights) -> Bool {
    cameras.isSubset(of: other.cameras) && permissions.isSubset(of: other.permissions)
  }
}
