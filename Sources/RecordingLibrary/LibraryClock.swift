/// The time that the library goes by; tests move their own.

internal import Storage
internal import System

package struct LibraryClock: Sendable {
  /// Never goes back; for intervals.
  package let monotonicNanoseconds: @Sendable () -> Int64
  /// Since 1970-01-01T00:00:00Z; to be compared with files' times.
  package let wallNanoseconds: @Sendable () -> Int64

  package init(
    monotonicNanoseconds: @escaping @Sendable () -> Int64, wallNanoseconds: @escaping @Sendable () -> Int64
  ) {
    self.monotonicNanoseconds = monotonicNanoseconds
    self.wallNanoseconds = wallNanoseconds
  }

  package static let system = LibraryClock(
    monotonicNanoseconds: { SystemClock.monotonicNanoseconds }, wallNanoseconds: { SystemClock.wallNanoseconds })
}
