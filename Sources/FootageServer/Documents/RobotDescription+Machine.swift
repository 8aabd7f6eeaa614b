package import FootageAPI
internal import FootageBase
internal import FootageSystem

extension RobotDescription {
  /// Of this program on this machine.
  ///
  /// - Parameters:
  ///   - name: nil for the machine's name without its domain.
  ///   - zone: of times in names.
  static func ofThisMachine(name: String?, zone: String) -> RobotDescription {
    RobotDescription(name: name ?? machineName, zone: zone, version: FootageVersion.number)
  }

  /// The machine's name without its domain, as the robot is called where nobody has named it.
  package static var machineName: String {
    let name = Process.hostName?.prefix { $0 != "." } ?? ""
    return name.isEmpty ? "robot" : String(name)
  }
}
