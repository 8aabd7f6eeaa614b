internal import FootageAPI

/// What the cache remembers of a robot's lists.
struct ListMemory: Sendable {
  let cache: MediaCache
  /// What the cache knows the robot by; the first one for what is new.
  let robots: [String]

  func take(_ page: ListedRecordings.Page) async { await cache.take(page, of: robots) }

  /// - Returns: nil where the robot never listed anything.
  func rest(_ query: ListQuery, after end: ListedRecordings.End?) async -> [RobotRecording]? {
    await cache.list(of: robots)?.rest(query, after: end)
  }
}
