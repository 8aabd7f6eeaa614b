/// A detector for a crowd of clients that was connected and has left. The memory that it needed is then worth giving
/// back.
struct ConnectionPeak {
  /// The size of the smallest crowd that leaves enough memory behind to be worth giving back.
  static let size = 200

  private var most = 0
  private var last = 0

  /// Returns true when a crowd has left. Called about once a second.
  ///
  /// - Parameter count: the number of clients that are connected now.
  /// - Returns: true once, when at most a quarter of a crowd is left and no client has left since the last call. While
  ///   clients are still leaving, there will be more memory to give back.
  mutating func hasPassed(leaving count: Int) -> Bool {
    defer { last = count }
    most = max(most, count)
    guard most >= Self.size, count <= most / 4, count >= last || count == 0 else { return false }
    most = count
    return true
  }
}
