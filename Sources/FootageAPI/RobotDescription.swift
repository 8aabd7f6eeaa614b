package import FootageBase

/// What a robot says of itself in its lists; nil for what an earlier one does not say.
package struct RobotDescription: Hashable, Sendable {
  /// What people call it.
  package var name: String?
  /// The zone of times in names, as the time zone database calls it.
  package var zone: String?
  /// Of its program.
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

/// Who answers, and what whoever asked may do: the first members of every list.
package struct ListHeader: Hashable, Sendable {
  /// Nil of a robot that says nothing of itself.
  package var robot: RobotDescription?
  /// The rights of whoever asked; nil of a robot that does not know of rights.
  package var may: [String]?

  package init(robot: RobotDescription?, may: [String]?) {
    self.robot = robot
    self.may = may
  }

  init(_ json: JSONValue) {
    robot = json["robot"].map(RobotDescription.init)
    may = json["may"]?.array?.compactMap(\.string)
  }

  /// Writes the members `robot` and `may` of an object that has begun.
  func write(into json: inout JSONWriter) {
    if let robot { json.member("robot") { robot.write(into: &$0) } }
    if let may { json.member("may") { json in json.array(may) { json, right in json.value(right) } } }
  }
}
