/// How much the connections of a loop keep of documents that wait for their peers; belongs to the loop's thread.
final class DocumentBudget {
  private var byteCount = 0

  /// In bytes; what is more is made again when its peer has taken what came before.
  private static let limit = 4 << 20

  /// - Returns: whether so many bytes may be kept, which are given back then.
  func take(_ count: Int) -> Bool {
    guard byteCount + count <= Self.limit else { return false }
    byteCount += count
    return true
  }

  func giveBack(_ count: Int) { byteCount -= count }
}
