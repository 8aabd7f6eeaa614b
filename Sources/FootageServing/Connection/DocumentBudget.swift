/// A budget for the documents that the connections of a loop keep while they wait for their peers. Belongs to the
/// loop's thread.
final class DocumentBudget {
  private var byteCount = 0

  /// The limit in bytes. A document beyond it is remade when its peer has accepted the bytes before.
  private static let limit = 4 << 20

  /// - Returns: true if this many bytes may be kept. They have to be given back later.
  func take(_ count: Int) -> Bool {
    guard byteCount + count <= Self.limit else { return false }
    byteCount += count
    return true
  }

  func giveBack(_ count: Int) { byteCount -= count }
}
