internal import FootageServer
internal import FootageBase
internal import FootageLibrary
internal import FootageSystem

/// A folder of recordings that a server on this machine serves. The server already knows its recordings.
extension StatusClient.ServedFolder {
  /// Asks the servers on this machine for the folder of `--recordings`.
  ///
  /// - Returns: nil if no server serves it, or the command line asks for something that the server does not know.
  static func find(_ arguments: ParsedArguments, _ state: StateOption) -> StatusClient.ServedFolder? {
    guard !state.isNamed, !arguments.isTyped("layout"), !arguments.isTyped("name-zone"),
      let folder = try? FileTree.canonical(arguments["recordings"] ?? "")
    else { return nil }
    return StatusClient.server(of: folder, StatusSocket.places())
  }

  /// Returns the time zone in which the server reads names.
  ///
  /// - Parameter own: this command's zone, used if the system does not know the server's.
  func zoneRules(otherwise own: TimeZoneRules) -> TimeZoneRules {
    guard zone != own.name else { return own }
    if let rule = POSIXTimeZone(zone) { return TimeZoneRules(name: zone, rule: rule) }
    return (try? SystemTimeZones.ofThisProcess.zone(zone) { Terminal.say($0) }) ?? own
  }
}
