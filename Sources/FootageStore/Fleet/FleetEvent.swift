package import FootageLibrary

/// An event for the log.
package struct FleetEvent: Hashable, Sendable {
  package let level: LibraryEvent.Level
  package let text: String

  init(_ level: LibraryEvent.Level, _ text: String) {
    self.level = level
    self.text = text
  }
}
