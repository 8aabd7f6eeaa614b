internal import FootageAPI
internal import FootageBase

extension RobotConnection {
  /// Returns the robot's time zone by its name in the time zone database; nil if an older robot does not report it.
  ///
  /// - Throws: `RobotError`, after the retries.
  package func zoneName() async throws(RobotError) -> String? {
    let list = Resource.recordings(ListQuery(limit: 1)).target
    return RecordingList(try await requests.json(list, name: "the list of recordings"))?.header.robot?.zone
  }
}
