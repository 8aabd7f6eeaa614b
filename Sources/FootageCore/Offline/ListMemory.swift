internal import FootageAPI

/// The cache's memory of a robot's lists.
struct ListMemory: Sendable {
  let cache: MediaCache
  /// The names by which the cache knows the robot. The name for new recordings is the first.
  let robots: [String]

  func take(_ page: ListedRecordings.Page) async { await cache.take(page, of: robots) }

  /// - Returns: nil if no list of the robot is stored.
  func rest(_ query: ListQuery, after end: ListedRecordings.End?) async -> [RobotRecording]? {
    await cache.list(of: robots)?.rest(query, after: end)
  }
}
