import Foundation
import Testing

/// A list of events in order, which any thread may add to. Each new event wakes the waiting threads.
package final class EventLog<Event: Sendable>: Sendable {
  private let condition = NSCondition()
  nonisolated(unsafe) private var events: [Event] = []

  package init() {}

  package var all: [Event] { condition.withLock { events } }

  package func append(_ event: Event) {
    condition.withLock {
      events.append(event)
      condition.broadcast()
    }
  }

  package func removeAll() { condition.withLock { events = [] } }

  /// Blocks until the events satisfy a condition, and fails the test if they never do.
  ///
  /// - Returns: all events.
  @discardableResult
  package func wait(
    for what: @autoclosure () -> String = "an event", within limit: Duration = .seconds(60),
    sourceLocation: SourceLocation = #_sourceLocation, until isThere: ([Event]) -> Bool
  ) throws -> [Event] {
    let end = Date(timeIntervalSinceNow: TimeInterval(limit.components.seconds))
    condition.lock()
    defer { condition.unlock() }
    while !isThere(events) {
      try #require(
        condition.wait(until: end), "waited in vain for \(what()); there is \(events)", sourceLocation: sourceLocation)
    }
    return events
  }
}
