import Foundation
import Testing

/// Waits for what another process or thread does and tells nobody: looks again and again, until a limit that only a
/// defect reaches. Where there is an event to wait for, `EventLog` is.
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

/// Waits until something holds.
package func eventually(
  _ what: @autoclosure () -> String, within limit: Duration = .seconds(60),
  sourceLocation: SourceLocation = #_sourceLocation, that holds: () throws -> Bool
) throws {
  try eventually(what(), within: limit, sourceLocation: sourceLocation) { try holds() ? () : nil }
}

/// The same for what is asked of others that have to be waited for.
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

/// The same, until something holds.
package func eventually(
  _ what: @autoclosure () -> String, within limit: Duration = .seconds(60),
  isolation: isolated (any Actor)? = #isolation, sourceLocation: SourceLocation = #_sourceLocation,
  that holds: () async throws -> Bool
) async throws {
  try await eventually(what(), within: limit, sourceLocation: sourceLocation) { try await holds() ? () : nil }
}

/// Short ones first, since most of what is waited for is about to come.
private struct Pauses {
  private let end: ContinuousClock.Instant
  private var microseconds: UInt32 = 250

  init(_ limit: Duration) { end = .now + limit }

  /// In microseconds; nil where the limit is reached.
  mutating func next() -> UInt32? {
    guard ContinuousClock.now < end else { return nil }
    defer { microseconds = min(microseconds * 2, 16_000) }
    return microseconds
  }
}
