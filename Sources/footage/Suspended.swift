/// Waiting for nothing but the end.

enum Suspended {
  /// Returns when the task is cancelled.
  static func untilCancelled() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    // A cancelled task ends its stream.
    for await _ in stream {}
    continuation.finish()
  }
}
