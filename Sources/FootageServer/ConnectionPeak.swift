/// A detector for the moment when a large number of clients has disconnected, so that the memory that they needed
/// should be returned to the system.
struct ConnectionPeak {
  /// The smallest number of clients whose memory is worth returning to the system.
  static let size = 200

  private var most = 0
  private var last = 0

  /// Returns true when most clients of a large number have disconnected. Call this about once a second.
  ///
  /// - Parameter count: the number of clients that are connected now.
  /// - Returns: true once, when at most a quarter of the clients is left and no client has left since the last call.
  ///   While clients are still leaving, waiting frees more memory.
  mutating func hasPassed(leaving count: Int) -> Bool {
    defer { last = count }
    most = max(most, count)
    guard most >= Self.size, count <= most / 4, count >= last || count == 0 else { return false }
    most = count
    return true
  }
}
