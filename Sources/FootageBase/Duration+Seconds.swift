extension Duration {
  /// In seconds, to the accuracy of a `Double`: what a rate is divided by.
  ///
  /// `duration / .seconds(1)` says the same, and Swift 6.2 cannot find its type.
  package var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }

  /// In whole nanoseconds.
  package var inNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000
  }
}
