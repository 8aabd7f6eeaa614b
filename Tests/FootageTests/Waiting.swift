/// Waiting for what another process does: looked for again and again, until a deadline that only a defect reaches.
import Foundation
import Testing

/// - Returns: what `look` found.
@discardableResult
func eventually<Found>(
  _ what: @autoclosure () -> String, within seconds: Double = 60, sourceLocation: SourceLocation = #_sourceLocation,
  _ look: () throws -> Found?
) throws -> Found {
  let deadline = Date(timeIntervalSinceNow: seconds)
  while true {
    if let found = try look() { return found }
    try #require(Date() < deadline, "waited in vain for \(what())", sourceLocation: sourceLocation)
    usleep(5_000)
  }
}

/// Waits until something holds.
func eventually(
  _ what: @autoclosure () -> String, within seconds: Double = 60, sourceLocation: SourceLocation = #_sourceLocation,
  that holds: () throws -> Bool
) throws {
  try eventually(what(), within: seconds, sourceLocation: sourceLocation) { try holds() ? () : nil }
}
