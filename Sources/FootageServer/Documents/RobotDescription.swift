internal import Formats
internal import System

/// What a robot says of itself in its lists.
struct RobotDescription: Sendable {
  /// What people call it.
  let name: String
  /// The zone of times in names, as the time zone database calls it.
  let zone: String

  /// - Parameter name: nil for the machine's name without its domain.
  init(name: String?, zone: String) {
    self.name = name ?? Self.machineName
    self.zone = zone
  }

  private static var machineName: String {
    let name = Process.hostName?.prefix { $0 != "." } ?? ""
    return name.isEmpty ? "robot" : String(name)
  }

  /// The members `robot` and `may`, of an object that has begun. `may` names the rights of whoever asks: there are none yet.
  func write(into json: inout JSONWriter) {
    json.member("robot") { json in
      json.object { json in
        json.member("name", name)
        json.member("zone", zone)
        json.member("version", FootageVersion.number)
      }
    }
    json.member("may") { json in json.array(EmptyCollection<String>()) { json, right in json.value(right) } }
  }
}
