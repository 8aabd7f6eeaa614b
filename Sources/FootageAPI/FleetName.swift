/// The names of recordings and cameras on a server that has several robots.
package enum FleetName {
  /// Returns `ROBOT/NAME`.
  package static func recording(_ name: String, of robot: String) -> String { "\(robot)/\(name)" }

  /// Returns the name that the robot itself uses for `ROBOT/NAME`.
  package static func nameAtRobot(_ name: String, of robot: String) -> String {
    String(Substring(name.utf8.dropFirst(robot.utf8.count + 1)))
  }

  /// Returns `ROBOT:CAM`, or `ROBOT:` for the recordings of a robot without a camera. The name of a camera contains no
  /// slash, so this name contains none either.
  package static func camera(_ camera: String?, of robot: String) -> String { "\(robot):\(camera ?? "")" }
}

extension RecordingItem {
  /// Returns this item as a server with several robots lists it.
  package func of(robot: String) -> RecordingItem {
    var item = self
    item.name = FleetName.recording(name, of: robot)
    item.camera = FleetName.camera(camera, of: robot)
    return item
  }
}
