import Foundation
import Testing

/// Waits for an action of another process or thread that sends no notification. It checks repeatedly, up to a limit
/// that only a defect reaches. If there is an event to wait for, use `EventLog`.
///
/// - Returns: what `look` found.
@discardableResult
package func eventually<Found>(
  _ what: @autoclosure () -> String, within limit: Duration = .seconds(60),
  sourceLocation: SourceLocation = #_sourceLocation, _ look: () throws -> Found?
) throws -> Found {
  var pauses = Pauses(limit)
  while true {
    if let found = try look() { return found }
    let next = pauses.next()
    let pause = try #require(next, "waited in vain for \(what())", sourceLocation: sourceLocation)
    usleep(pause)
  }
}

/// Waits until a condition holds.
package func eventually(
  _ what: @autoclosure () -> String, within limit: Duration = .seconds(60),
  sourceLocation: SourceLocation = #_sourceLocation, that holds: () throws -> Bool
) throws {
  try eventually(what(), within: limit, sourceLocation: sourceLocation) { try holds() ? () : nil }
}

/// Waits as above, for a check that is itself asynchronous.
@discardableResult
package func eventually<Found>(
  _ what: @autoclosure () -> String, within limit: Duration = .seconds(60),
  isolation: isolated (any Actor)? = #isolation, sourceLocation: SourceLocation = #_sourceLocation,
  _ look: () async throws -> Found?
) async throws -> Found {
  var pauses = Pauses(limit)
  while true {
    if let found = try await look() { return found }
    let next = pauses.next()
    let pause = try #require(next, "waited in vain for \(what())", sourceLocation: sourceLocation)
    try await Task.sleep(for: .microseconds(pause))
  }
}

/// Waits until an asynchronous condition holds.
package func eventually(
  _ what: @autoclosure () -> String, within limit: Duration = .seconds(60),
  isolation: isolated (any Actor)? = #isolation, sourceLocation: SourceLocation = #_sourceLocation,
  that holds: () async throws -> Bool
) async throws {
  try await eventually(what(), within: limit, sourceLocation: sourceLocation) { try await holds() ? () : nil }
}

/// The pauses between checks. The first ones are short, since most conditions hold soon.
private struct Pauses {
  private let end: ContinuousClock.Instant
  private var microseconds: UInt32 = 250

  init(_ limit: Duration) { end = .now + limit }

  /// Returns the next pause in microseconds; nil if the limit is reached.
  mutating func next() -> UInt32? {
    guard ContinuousClock.now < end else { return nil }
    defer { microseconds = min(microseconds * 2, 16_000) }
    return microseconds
  }
}
