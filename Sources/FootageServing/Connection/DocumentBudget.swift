/// A budget for the documents that the connections of a loop keep while they wait for their peers. Belongs to the
/// loop's thread.
final class DocumentBudget {
  private var byteCount = 0

  /// The limit in bytes. A document that exceeds it is released, and made again when its peer has accepted the previous
  /// bytes.
  private static let limit = 4 << 20

  /// - Returns: true if this many bytes may be kept. They must be returned to the budget later.
  func take(_ count: Int) -> Bool {
    guard byteCount + count <= Self.limit else { return false }
    byteCount += count
    return true
  }

  func giveBack(_ count: Int) { byteCount -= count }
}
