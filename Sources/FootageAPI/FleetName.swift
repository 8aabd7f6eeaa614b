/// What recordings and cameras are called by a server that has several robots'.
package enum FleetName {
  /// `ROBOT/NAME`.
  package static func recording(_ name: String, of robot: String) -> String { "\(robot)/\(name)" }

  /// `ROBOT:CAM`, and `ROBOT:` for what a robot recorded without a camera. A camera's name has no slash, and so neither
  /// has this one.
  package static func camera(_ camera: String?, of robot: String) -> String { "\(robot):\(camera ?? "")" }
}

extension RecordingItem {
  /// The same as it is listed by a server that has several robots'.
  package func of(robot: String) -> RecordingItem {
    var item = self
    item.name = FleetName.recording(name, of: robot)
    item.camera = FleetName.camera(camera, of: robot)
    return item
  }
}
