/// Whether many have been connected at once, and have gone: what they needed is worth giving back then.
struct ConnectionPeak {
  /// So many leave memory behind that is worth it.
  static let size = 200

  private var most = 0
  private var last = 0

  /// Looked at about once a second.
  ///
  /// - Parameter count: how many are connected now.
  /// - Returns: true once, when no more than a quarter of a crowd is left and nobody has left since the last look:
  ///   while they leave, there is more to come.
  mutating func hasPassed(leaving count: Int) -> Bool {
    defer { last = count }
    most = max(most, count)
    guard most >= Self.size, count <= most / 4, count >= last || count == 0 else { return false }
    most = count
    return true
  }
}
