internal import FootageAPI
internal import FootageCore
internal import FootageBase
internal import FootageLibrary

/// The output of `footage list --cameras`: a summary for each camera.
enum CameraListing {
  /// The smallest width of a name. A shorter part would not identify the camera.
  private static let leastName = 8

  /// Rejects options that select recordings, because they do not apply to cameras.
  static func expectNoFilter(_ arguments: ParsedArguments) throws(UsageError) {
    for name in FilterOptions.names where arguments.isGiven(name) {
      throw UsageError("--cameras cannot be combined with --\(name): it lists every camera with all of its recordings")
    }
  }

  /// Prints the cameras.
  ///
  /// - Parameters:
  ///   - robotZone: the name of the robot's time zone, for JSON; nil if the robot does not name it.
  ///   - zone: the time zone of the times that are shown.
  static func print(_ cameras: [CameraList.Camera], asJSON: Bool, robotZone: String?, in zone: TimeZoneRules) {
    guard asJSON else { return Terminal.output(text(cameras, in: zone, columns: Terminal.outputColumns)) }
    let header = ListHeader(robot: robotZone.map { RobotDescription(zone: $0) }, may: nil)
    var json = JSONWriter()
    CameraList(header: header, cameras: cameras).write(into: &json)
    Terminal.output(json.text + "\n")
  }

  /// - Parameter columns: the width of the terminal; nil if the output has no limited width, so that nothing is
  ///   shortened.
  static func text(_ cameras: [CameraList.Camera], in zone: TimeZoneRules, columns: Int?) -> String {
    guard !cameras.isEmpty else { return "no recordings\n" }
    typealias Column = TextTable.Column
    var table = TextTable(columns: [
      Column("CAMERA", cameras.map { $0.name.map(Terminal.printable) ?? "–" }),
      Column("RECORDINGS", cameras.map { "\($0.recordingCount)" }, isNumber: true),
      Column("FROM (\(zone.name))", cameras.map { MomentText.text($0.from, in: zone) }),
      Column("TO", cameras.map { MomentText.text($0.to, in: zone) }),
      Column("LIVE", cameras.map { $0.isLive ? "live" : "–" }),
    ])
    // Some terminals begin a new line after their last column.
    if let columns, table.width >= columns {
      table.columns[0].width = max(leastName, table.columns[0].width - (table.width - columns + 1))
    }
    return table.text
  }
}
