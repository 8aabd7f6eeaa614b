/// Bytes that can be made again, so that they need not be kept while a peer takes its time.

internal import Synchronization

/// The same bytes each time, or the peer gets a mixture.
package final class RemadeBytes: Sendable {
  let count: Int
  private let make: @Sendable () -> [UInt8]
  private let made: Mutex<[UInt8]?>

  package init(_ make: @escaping @Sendable () -> [UInt8]) {
    let bytes = make()
    self.make = make
    count = bytes.count
    made = Mutex(bytes)
  }

  /// Made now, where they were let go.
  func bytes() -> [UInt8] {
    if let bytes = made.withLock({ $0 }) { return bytes }
    let bytes = make()
    made.withLock { $0 = bytes }
    return bytes
  }

  func letGo() { made.withLock { $0 = nil } }
}

/// How much the connections of a loop keep of documents that wait for their peers; belongs to the loop's thread.
final class HeldDocuments {
  private var byteCount = 0

  /// In bytes; what is more is made again when its peer has taken what came before.
  private static let limit = 4 << 20

  /// - Returns: whether so many bytes may be kept, which are given back by `release` then.
  func hold(_ count: Int) -> Bool {
    guard byteCount + count <= Self.limit else { return false }
    byteCount += count
    return true
  }

  func release(_ count: Int) { byteCount -= count }
}
