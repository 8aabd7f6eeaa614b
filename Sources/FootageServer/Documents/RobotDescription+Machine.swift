package import FootageAPI
internal import FootageBase
internal import FootageSystem

extension RobotDescription {
  /// Returns the description of this program on this machine.
  ///
  /// - Parameters:
  ///   - name: nil for the machine's name without its domain.
  ///   - zone: the time zone of the times in names.
  static func ofThisMachine(name: String?, zone: String) -> RobotDescription {
    RobotDescription(name: name ?? machineName, zone: zone, version: FootageVersion.number)
  }

  /// The machine's name without its domain. It is the robot's name if the operator has not chosen one.
  package static var machineName: String {
    let name = Process.hostName?.prefix { $0 != "." } ?? ""
    return name.isEmpty ? "robot" : String(name)
  }
}
