/// Waiting for something, but not for long.
package enum TimeLimit {
  /// The result of `body`; nil where it takes longer. Then it is cancelled, and waited for, which should take no time.
  package static func result<Result: Sendable>(
    within limit: Duration, sleep: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) },
    _ body: @escaping @Sendable () async -> Result
  ) async -> Result? {
    await withTaskGroup(of: Result?.self) { group in
      group.addTask { await body() }
      group.addTask {
        await sleep(limit)
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      return first
    }
  }
}
