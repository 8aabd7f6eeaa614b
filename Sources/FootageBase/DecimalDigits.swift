extension [UInt8] {
  /// Appends a number in decimal, padded with leading zeros to the given number of digits.
  ///
  /// - Parameter value: 0 or above.
  package mutating func append(decimal value: Int64, digits: Int = 1) {
    var rest = value.magnitude
    var reversed: (digits: UInt64, count: Int) = (0, 0)
    // 19 digits fit.
    while rest > 0 || reversed.count < digits {
      reversed = (reversed.digits * 10 + rest % 10, reversed.count + 1)
      rest /= 10
    }
    for _ in 0..<reversed.count {
      append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: reversed.digits % 10))
      reversed.digits /= 10
    }
  }
}
