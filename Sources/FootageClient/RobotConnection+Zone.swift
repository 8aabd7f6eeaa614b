/// Where a robot's clock is.

internal import Formats

extension RobotConnection {
  /// The robot's time zone as the time zone database calls it; nil where an earlier robot does not say.
  ///
  /// - Throws: `RobotError`, after the retries.
  package func zoneName() async throws(RobotError) -> String? {
    try await requests.json("/recordings?limit=1", name: "the list of recordings")["robot"]?["zone"]?.string
  }
}
