/// The `Range` field, compared with a plain count of the bytes that it names.

internal import FootageBase
internal import FootageHTTP

enum Ranges {
  /// - Parameter length: the length of the representation in bytes. It is small, since each byte is counted.
  static func check(_ field: [UInt8], length: UInt64) throws(Finding) {
    guard let ranges = ByteRangeSet(field.borrowedSpan) else { return }
    try expect((1...16).contains(ranges.count), "\(ranges.count) ranges")
    let wanted = (0..<length).map { byte in
      (0..<ranges.count).contains { index in
        switch ranges[index] {
        case .from(let first, let last): first <= byte && byte <= last
        case .suffix(let count): length - byte <= count
        }
      }
    }
    let selected: [Range<UInt64>] =
      switch ranges.selection(length: length) {
      case .unsatisfiable: []
      case .one(let range): [range]
      case .several(let ranges): ranges
      }
    for (index, range) in selected.enumerated() {
      try expect(!range.isEmpty && range.upperBound <= length, "range \(range) of \(length) bytes")
      for other in selected[..<index] {
        try expect(
          other.upperBound < range.lowerBound || range.upperBound < other.lowerBound, "\(other) touches \(range)")
      }
    }
    let got = (0..<length).map { byte in selected.contains { $0.contains(byte) } }
    try expect(got == wanted, "of \(length) bytes \(selected) are selected")
  }
}
