internal import FootageBase

/// Bytes in pages that are only appended and never change. A copy shares all pages but the last.
struct PagedBytes: Hashable, Sendable {
  /// The full pages, all of the same size.
  private var pages: [[UInt8]] = []
  private var rest: [UInt8] = []

  /// The size of a page in bytes.
  private static let pageSize = 1 << 16

  var count: Int { pages.count * Self.pageSize + rest.count }

  mutating func append(_ bytes: [UInt8]) {
    rest += bytes
    var start = 0
    while rest.count - start >= Self.pageSize {
      pages.append(Array(rest[start..<(start + Self.pageSize)]))
      start += Self.pageSize
    }
    if start > 0 { rest.removeFirst(start) }
  }

  /// Calls `body` with pieces of a range, in order.
  ///
  /// - Precondition: the range lies within the bytes.
  func forEachPiece(in range: Range<Int>, _ body: (ArraySlice<UInt8>) -> Void) {
    var position = range.lowerBound
    while position < range.upperBound {
      let page = position / Self.pageSize
      let start = page * Self.pageSize
      let bytes = page < pages.count ? pages[page] : rest
      let end = min(range.upperBound - start, bytes.count)
      body(bytes[(position - start)..<end])
      position = start + end
    }
  }

  /// Returns true if these bytes begin with all bytes of `other`.
  func starts(with other: PagedBytes) -> Bool {
    guard other.count <= count else { return false }
    var position = 0
    var isSame = true
    other.forEachPiece(in: 0..<other.count) { theirs in
      var own: [UInt8] = []
      own.reserveCapacity(theirs.count)
      forEachPiece(in: position..<(position + theirs.count)) { own += $0 }
      isSame = isSame && own.elementsEqual(theirs)
      position += theirs.count
    }
    return isSame
  }
}
