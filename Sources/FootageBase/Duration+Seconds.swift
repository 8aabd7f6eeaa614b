extension Duration {
  /// The number of seconds, to the accuracy of a `Double`, to divide by when computing a rate.
  ///
  /// `duration / .seconds(1)` is the same, but Swift 6.2 cannot infer its type.
  package var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }

  /// The number of whole nanoseconds.
  package var inNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000
  }
}
