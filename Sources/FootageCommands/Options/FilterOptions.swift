internal import FootageAPI
internal import FootageBase
internal import FootageCore
internal import FootageLibrary
internal import FootageSystem

/// The options that select recordings, with times in the forms that people use.
struct FilterOptions: Sendable {
  static let options: [Usage.Option] = [
    .value("camera", "NAME", "Only recordings of this camera."),
    .value("since", "TIME", "Only recordings that began at this time or later: \(SpokenTime.examples)."),
    .value("until", "TIME", "Only recordings that began before this time; if it is a day, that day is included."),
    .value("lasting", "SECONDS", "Only recordings of at least this length; those without a length are left out."),
    .value(
      "zone", "ZONE", default: "local", "The time zone of times typed and shown: local, robot, UTC, or AREA/CITY."),
  ]

  /// The paragraph about these options in the help.
  static let details = """
    Times without a zone are in --zone, which is this machine's zone by default. A time without a day means its latest
    occurrence; given to --until, the first one after --since. In the hour that occurs twice when clocks are set back,
    --since means the first of the two, and --until the second.
    """

  /// The names of the options, except for the zone, which excludes no recordings.
  static let names = ["camera", "since", "until", "lasting"]

  let camera: String?
  private let lasting: DecimalSeconds?
  private let since: SpokenTime?
  private let until: SpokenTime?
  private let zone: String
  /// The names of the two options for times.
  private let names: (since: String, until: String)

  /// True if no recordings are excluded.
  var isEmpty: Bool { camera == nil && since == nil && until == nil && lasting == nil }

  init(
    _ arguments: ParsedArguments, names: (since: String, until: String) = ("since", "until")
  ) throws(UsageError) {
    camera = arguments["camera"]
    self.names = names
    since = try Self.time(names.since, arguments)
    until = try Self.time(names.until, arguments)
    zone = arguments["zone"] ?? "local"
    lasting = try arguments["lasting"].map { (text) throws(UsageError) in
      guard let seconds = DecimalSeconds(text), seconds > .zero else {
        throw UsageError(
          "--lasting must be a number of seconds above 0, such as 90 or 1.5, with at most 9 digits before and after "
            + "the point, not '\(text)'")
      }
      return seconds
    }
  }

  private static func time(_ name: String, _ arguments: ParsedArguments) throws(UsageError) -> SpokenTime? {
    guard let text = arguments[name] else { return nil }
    guard let time = SpokenTime(text) else {
      throw UsageError("--\(name) must be a time, such as \(SpokenTime.examples), not '\(text)'")
    }
    return time
  }

  /// Returns the query for the selected recordings.
  ///
  /// - Parameters:
  ///   - bounds: the times, resolved at the present time.
  ///   - state: nil for all states.
  func query(_ bounds: Bounds, state: ListQuery.StateFilter? = nil) -> ListQuery {
    ListQuery(camera: camera, since: bounds.since, until: bounds.until, state: state, lasting: lasting)
  }

  /// The requested times, resolved at the present time.
  struct Bounds: Sendable {
    var since: UnixTimestamp?
    var until: UnixTimestamp?
    /// The time zone of the times that are typed and shown.
    var zone: TimeZoneRules
  }

  /// Returns the times for a robot elsewhere. The robot is asked for its time zone if the command line requests that
  /// zone.
  func bounds(of access: RobotAccess) async throws(CommandFailure) -> Bounds {
    let now = UnixTimestamp(nanoseconds: Clock.system.unixNanoseconds)
    guard zone == "robot" else { return try bounds(now: now, in: try ownZone()) }
    let name: String?
    do throws(RobotError) { name = try await access.robot.zoneName() } catch {
      throw .failed(access.words(for: error))
    }
    guard let name else { throw .failed("the robot does not report its time zone: give it with --zone AREA/CITY") }
    let zone: TimeZoneRules
    if let rule = POSIXTimeZone(name) {
      zone = TimeZoneRules(name: name, rule: rule)
    } else {
      // A robot that does not know the name of its zone calls it "local". That is not the zone of this machine.
      guard name != "local" else {
        throw .failed("the robot does not know the name of its time zone: give it with --zone AREA/CITY")
      }
      do throws(TimeZoneError) { zone = try SystemTimeZones.ofThisProcess.zone(name) { Terminal.say($0) } } catch {
        throw .failed("the robot's time zone: \(error)")
      }
    }
    return try bounds(now: now, in: zone)
  }

  /// - Parameter robot: the time zone of the robot, which is this machine.
  func bounds(now: UnixTimestamp, robot: TimeZoneRules) throws(CommandFailure) -> Bounds {
    try bounds(now: now, in: zone == "robot" ? robot : try ownZone())
  }

  private func ownZone() throws(CommandFailure) -> TimeZoneRules {
    do throws(TimeZoneError) { return try SystemTimeZones.ofThisProcess.zone(zone) { Terminal.say($0) } } catch {
      throw .usage(UsageError("--zone: \(error)"))
    }
  }

  private func bounds(now: UnixTimestamp, in zone: TimeZoneRules) throws(CommandFailure) -> Bounds {
    let since = since?.beginning(now: now, in: zone)
    let until = until?.end(after: since, now: now, in: zone)
    if let since, let until, until <= since {
      throw .usage(
        UsageError(
          "--\(names.until) must be later than --\(names.since), but they are "
            + "\(MomentText.exact(until, in: zone)) and \(MomentText.exact(since, in: zone)) (\(zone.name))"))
    }
    return Bounds(since: since, until: until, zone: zone)
  }
}

extension FilterOptions.Bounds {
  /// The interpretation of the times, like `since 2026-11-19 14:20:00 +0100 (Europe/Berlin)`; nil if no times are
  /// given.
  var words: String? {
    let parts = [
      since.map { "since \(MomentText.exact($0, in: zone))" },
      until.map { "before \(MomentText.exact($0, in: zone))" },
    ].compactMap { $0 }
    return parts.isEmpty ? nil : "\(parts.joined(separator: ", ")) (\(zone.name))"
  }
}
