/// Literal bytes and ranges of numbered sources, in order, as if they were one file.
///
/// The code that binds the composition to open sources decides what a source is: a file on this disk, or a recording in
/// a store. Two compositions are equal if they consist of the same bytes and ranges, however they were put together.
package struct Composition: Sendable, Hashable {
  /// A piece of the composition whose bytes lie in one place.
  package enum Slice: Sendable, Hashable {
    case literal(ArraySlice<UInt8>)
    /// A range of the source with this number, counted from 0.
    case range(source: Int, Range<UInt64>)

    /// The number of bytes.
    package var length: UInt64 {
      switch self {
      case .literal(let bytes): UInt64(bytes.count)
      case .range(_, let range): range.upperBound - range.lowerBound
      }
    }
  }

  /// The slices in order. None is empty, and no two neighbors could be merged into one.
  package private(set) var slices: [Slice] = []
  /// The ends of the slices within the whole, in bytes, one for each slice.
  private var ends: [UInt64] = []

  package init() {}

  /// Creates a composition of literal bytes, followed by ranges of one source.
  package init(_ literal: [UInt8] = [], then ranges: some Sequence<Range<UInt64>>, of source: Int = 0) {
    append(literal)
    for range in ranges { append(range, of: source) }
  }

  /// The number of bytes.
  package var length: UInt64 { ends.last ?? 0 }

  package var isEmpty: Bool { slices.isEmpty }

  /// Returns true if `count` more bytes can be appended, which means that the total length stays below 2^64.
  package func hasRoom(for count: UInt64) -> Bool { !length.addingReportingOverflow(count).overflow }

  /// Appends literal bytes, which extend the literal slice at the end if there is one.
  package mutating func append(_ bytes: [UInt8]) { append(bytes[...]) }

  /// Appends literal bytes, which extend the literal slice at the end if there is one.
  package mutating func append(_ bytes: ArraySlice<UInt8>) {
    guard !bytes.isEmpty else { return }
    if case .literal(var last) = slices.last {
      // Removed while it grows, so that it is not copied.
      slices.removeLast()
      last.append(contentsOf: bytes)
      slices.append(.literal(last))
      ends[ends.count - 1] += UInt64(bytes.count)
    } else {
      add(.literal(bytes))
    }
  }

  /// Appends a range of a source. A range that adjoins the last slice extends it.
  ///
  /// - Precondition: there is room for it, as there always is for ranges that lie within files.
  package mutating func append(_ range: Range<UInt64>, of source: Int = 0) {
    guard !range.isEmpty else { return }
    if case .range(source, let last) = slices.last, last.upperBound == range.lowerBound {
      slices[slices.count - 1] = .range(source: source, last.lowerBound..<range.upperBound)
      ends[ends.count - 1] += range.upperBound - range.lowerBound
    } else {
      add(.range(source: source, range))
    }
  }

  package mutating func append(_ slice: Slice) {
    switch slice {
    case .literal(let bytes): append(bytes)
    case .range(let source, let range): append(range, of: source)
    }
  }

  /// Appends another composition, whose source 0 becomes source `firstSource` of this one.
  package mutating func append(_ other: Composition, firstSource: Int = 0) {
    for slice in other.slices {
      switch slice {
      case .literal(let bytes): append(bytes)
      case .range(let source, let range): append(range, of: firstSource + source)
      }
    }
  }

  private mutating func add(_ slice: Slice) {
    let end = length + slice.length
    slices.append(slice)
    ends.append(end)
  }

  /// Returns the composition of a range of these bytes. Takes O(log n + k) for k slices, and copies no byte.
  ///
  /// - Parameter range: may reach beyond the end; the result ends with the composition.
  package func slice(in range: Range<UInt64>) -> Composition {
    var parts = Composition()
    var index = indexOfSlice(at: range.lowerBound)
    while index < slices.count {
      let start = start(ofSlice: index)
      guard start < range.upperBound else { break }
      let part = (max(start, range.lowerBound) - start)..<(min(ends[index], range.upperBound) - start)
      if !part.isEmpty { parts.append(slices[index].part(part)) }
      index += 1
    }
    return parts
  }

  /// Returns the ranges of one source, in order.
  package func ranges(of source: Int = 0) -> [Range<UInt64>] {
    slices.compactMap { if case .range(source, let range) = $0 { range } else { nil } }
  }

  /// Returns the offset at which a slice begins within the whole, in bytes.
  ///
  /// - Precondition: there is a slice with this index.
  package func start(ofSlice index: Int) -> UInt64 { index == 0 ? 0 : ends[index - 1] }

  /// Returns the index of the slice that holds the byte at `offset`, which is the first slice that ends after it, or
  /// the number of slices if there is none. Takes O(log n).
  package func indexOfSlice(at offset: UInt64) -> Int {
    var low = 0
    var high = ends.count
    while low < high {
      let middle = (low + high) / 2
      if ends[middle] > offset { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

extension Composition.Slice {
  /// - Parameter range: a range within the slice, counted from its first byte.
  fileprivate func part(_ range: Range<UInt64>) -> Composition.Slice {
    switch self {
    case .literal(let bytes):
      .literal(bytes[(bytes.startIndex + Int(range.lowerBound))..<(bytes.startIndex + Int(range.upperBound))])
    case .range(let source, let whole):
      .range(source: source, (whole.lowerBound + range.lowerBound)..<(whole.lowerBound + range.upperBound))
    }
  }
}
