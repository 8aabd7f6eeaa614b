internal import FootageAPI
internal import FootageBase

extension RobotConnection {
  /// The robot's time zone as the time zone database calls it; nil where an earlier robot does not say.
  ///
  /// - Throws: `RobotError`, after the retries.
  package func zoneName() async throws(RobotError) -> String? {
    let list = Resource.recordings(ListQuery(limit: 1)).target
    return RecordingList(try await requests.json(list, name: "the list of recordings"))?.header.robot?.zone
  }
}
