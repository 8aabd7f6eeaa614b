/// The limits on every size and count in a message that a peer can influence.

/// The limits of a parser, which are set before the parser is created.
package struct HTTPLimits: Sendable {
  /// The most bytes of a head with its empty line; more is answered with 431. It must not exceed 65,535, the largest
  /// position that a field range can hold.
  package var headBytes = 16 * 1024
  /// The most bytes of a request target; more is answered with 414.
  package var targetBytes = 8 * 1024
  /// The most field lines of a head; more is answered with 431.
  package var fieldCount = 100
  /// The most bytes of all chunk extensions of one body. They have no meaning here, so a large number of them is an
  /// attack.
  package var chunkExtensionBytes = 4 * 1024
  /// The most bytes of the trailer section of one body.
  package var trailerBytes = 8 * 1024

  /// Creates the standard limits.
  package init() {}

  /// The limits that servers and clients use by default.
  package static let standard = HTTPLimits()

  /// The most bytes that a method, two spaces, a version and a line end may add to a target before its line is too
  /// long.
  static let requestLineAllowance = 128
  /// The most ranges in one `Range` field as `ByteRangeSet` holds them; a field with more is ignored.
  static let rangeCount = 16
}
