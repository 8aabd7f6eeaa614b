internal import FootageBase
internal import FootageLibrary
internal import FootageSystem

/// The options that control how names of recordings are read.
enum NamingOptions {
  static let options: [Usage.Option] = [
    .value(
      "name-zone", "ZONE", default: "local",
      "The time zone of times in names that contain no zone: local, UTC, or AREA/CITY (from tzdata)."),
    .value(
      "layout", "LAYOUT",
      "How files are named: {camera}/%Y-%m-%dT%H-%M-%S, with {} for any characters and {number} for a counter, or "
        + "frigate, mediamtx, viam [recognized from the names]."),
  ]

  /// - Parameter warn: receives warnings about values that had to be interpreted differently.
  static func naming(
    _ arguments: ParsedArguments, warn: (String) -> Void = { Terminal.say($0) }
  ) throws(UsageError) -> RecordingNaming {
    var layout: RecordingLayout?
    if let text = arguments["layout"] {
      do throws(RecordingLayoutError) { layout = try RecordingLayout(text) } catch {
        throw UsageError(error.description)
      }
    }
    do throws(TimeZoneError) {
      let zone = try SystemTimeZones.ofThisProcess.zone(arguments["name-zone"] ?? "local", warn: warn)
      return RecordingNaming(layout: layout, zone: zone)
    } catch { throw UsageError("--name-zone: \(error)") }
  }
}

extension SystemTimeZones {
  static var ofThisProcess: SystemTimeZones { SystemTimeZones(variable: Process.variable("TZ")) }
}
