internal import FootageBase

/// Writes request heads, for clients.

/// A writer of request heads (RFC 9112 §3). Call `begin`, add fields, call `end`, and send `bytes`.
package struct RequestHeadWriter: Sendable {
  /// The head so far.
  package private(set) var bytes: [UInt8] = []

  /// Creates a writer without a head.
  package init() {}

  /// Starts a new head in the memory of the last one.
  ///
  /// - Parameters:
  ///   - target: the target in origin form, percent-encoded.
  ///   - host: a name or address with an optional port; an IPv6 address is in brackets.
  /// - Throws: `targetMalformed`, `hostMalformed`; the head is then empty.
  package mutating func begin(_ method: HTTPMethod, _ target: String, host: String) throws(MessageRefusal) {
    bytes.removeAll(keepingCapacity: true)
    let targetBytes = Array(target.utf8)
    let hostBytes = Array(host.utf8)
    guard method != .other, targetBytes.first == UInt8(ascii: "/") else {
      throw MessageRefusal(.targetMalformed, at: 0)
    }
    _ = try RequestTarget(targetBytes.borrowedSpan, 0..<targetBytes.count, method: method)
    guard RequestTarget.isHost(hostBytes.borrowedSpan, 0..<hostBytes.count) else {
      throw MessageRefusal(.hostMalformed, at: 0)
    }
    bytes.append(literal: method.name)
    bytes.append(ASCII.space)
    bytes.append(contentsOf: targetBytes)
    bytes.append(literal: " HTTP/1.1\r\nHost: ")
    bytes.append(contentsOf: hostBytes)
    bytes.append(literal: "\r\n")
  }

  /// Appends a field. Control bytes in its value become spaces.
  package mutating func field(_ name: StaticString, _ value: String) {
    bytes.append(field: name, value)
  }

  /// Appends a field whose value is a number.
  package mutating func field(_ name: StaticString, _ value: UInt64) {
    bytes.append(field: name, decimal: value)
  }

  /// Appends `Range` for one range, which is not empty. Without an end it asks for everything from `first` on.
  package mutating func range(from first: UInt64, upTo end: UInt64? = nil) {
    bytes.append(literal: "Range: bytes=")
    bytes.append(decimal: first)
    bytes.append(UInt8(ascii: "-"))
    if let end, end > first { bytes.append(decimal: end - 1) }
    bytes.append(literal: "\r\n")
  }

  /// Appends `If-Range` with a strong tag. It asks for the range of this version, or for all of a different version
  /// (RFC 9110 §13.1.5).
  package mutating func ifRange(_ tag: EntityTag) {
    bytes.append(literal: "If-Range: ")
    bytes.append(contentsOf: tag.bytes)
    bytes.append(literal: "\r\n")
  }

  /// Appends the empty line.
  package mutating func end() { bytes.append(literal: "\r\n") }
}
