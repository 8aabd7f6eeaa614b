package import FootageBase

/// A robot's description of itself in its lists. Its members are nil if an earlier version of the program does not send
/// them.
package struct RobotDescription: Hashable, Sendable {
  /// The name that people use for the robot.
  package var name: String?
  /// The zone of those times in file names that state no zone themselves, by its name in the time zone database.
  package var zone: String?
  /// The version of the robot's program.
  package var version: String?

  package init(name: String? = nil, zone: String? = nil, version: String? = nil) {
    self.name = name
    self.zone = zone
    self.version = version
  }

  /// Reads the object `robot`.
  package init(_ json: JSONValue) {
    self.init(name: json["name"]?.string, zone: json["zone"]?.string, version: json["version"]?.string)
  }

  /// Writes the object `robot`.
  package func write(into json: inout JSONWriter) {
    json.object { json in
      if let name { json.member("name", name) }
      if let zone { json.member("zone", zone) }
      if let version { json.member("version", version) }
    }
  }
}

/// The first members of every list: the robot that answers, and the rights of the client that asked.
package struct ListHeader: Hashable, Sendable {
  /// The robot's description; nil from a robot that does not describe itself.
  package var robot: RobotDescription?
  /// The rights of the client that asked; nil from a robot that does not know about rights.
  package var may: [String]?

  package init(robot: RobotDescription?, may: [String]?) {
    self.robot = robot
    self.may = may
  }

  init(_ json: JSONValue) {
    robot = json["robot"].map(RobotDescription.init)
    may = json["may"]?.array?.compactMap(\.string)
  }

  /// Writes the members `robot` and `may` into an object that has been opened.
  func write(into json: inout JSONWriter) {
    if let robot { json.member("robot") { robot.write(into: &$0) } }
    if let may { json.member("may") { json in json.array(may) { json, right in json.value(right) } } }
  }
}
