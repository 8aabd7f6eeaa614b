/// Every size and count in a message that a peer can influence.

/// Raised or lowered before a parser is made with them.
package struct HTTPLimits: Sendable {
  /// Of a head with its empty line, in bytes; more is 431. At most 65,535, which is what a field's place is kept in.
  package var headBytes = 16 * 1024
  /// Of a request target, in bytes; more is 414.
  package var targetBytes = 8 * 1024
  /// Field lines of a head; more is 431.
  package var fieldCount = 100
  /// Of all chunk extensions of one body, in bytes: they carry nothing, so a flood of them is an attack.
  package var chunkExtensionBytes = 4 * 1024
  /// Of the trailer section of one body, in bytes.
  package var trailerBytes = 8 * 1024

  /// The standard limits.
  package init() {}

  /// As in the design.
  package static let standard = HTTPLimits()

  /// What a method, two spaces, a version and a line end may add to a target before its line is too long.
  static let requestLineAllowance = 128
  /// Ranges in one `Range` field, the way `ByteRangeSet` holds them; a field with more is ignored.
  static let rangeCount = 16
}
