/// Waiting for something, but not for long.
package enum TimeLimit {
  /// The result of `body`; nil where it takes longer. Then it is cancelled, and waited for, which should take no time.
  ///
  /// - Throws: what `body` throws in time.
  package static func result<Value: Sendable, Failure>(
    within limit: Duration, sleep: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) },
    _ body: @escaping @Sendable () async throws(Failure) -> Value
  ) async throws(Failure) -> Value? {
    let outcome = await withTaskGroup(of: Result<Value, Failure>?.self) { group in
      group.addTask {
        do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
      }
      group.addTask {
        await sleep(limit)
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      return first
    }
    return try outcome?.get()
  }
}
