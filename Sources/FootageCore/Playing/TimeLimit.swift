/// A limit on the time that is spent waiting.
package enum TimeLimit {
  /// Returns the result of `body`; nil if it takes longer. `body` is then canceled and waited for, which should take no
  /// time.
  ///
  /// - Throws: any error that `body` throws in time.
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
