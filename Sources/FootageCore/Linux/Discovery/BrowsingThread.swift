internal import FootageSystem

/// A separate thread for work that waits in the kernel for as long as a search for robots lasts.
enum BrowsingThread {
  /// - Parameter name: the name of the thread; the kernel keeps 15 bytes of it.
  static func run(
    _ name: String, _ body: @escaping @Sendable () throws(DiscoveryError) -> Void
  ) async -> Result<Void, DiscoveryError> {
    await Suspension<Result<Void, DiscoveryError>>.suspend { suspension in
      do throws(SystemError) {
        try Thread.start(name) {
          do throws(DiscoveryError) { suspension.resume(returning: .success(try body())) } catch {
            suspension.resume(returning: .failure(error))
          }
        }.detach()
      } catch { suspension.resume(returning: .failure(.unavailable(error.description))) }
    }
  }
}
