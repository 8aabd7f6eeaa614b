/// Writes response heads into one buffer that is used again and again.

/// RFC 9112 §4. One per loop or connection: `begin`, `status`, fields, `end`, send `bytes`.
package struct ResponseHeadWriter: Sendable {
  /// What the head says about the connection (RFC 9112 §9.3).
  package enum Persistence: Hashable, Sendable {
    /// Kept, which goes without saying in HTTP/1.1.
    case kept
    /// Kept, and said so, since the client speaks HTTP/1.0.
    case keptAsAsked
    case closed

    /// What the client asked for.
    package init(for request: borrowing RequestHead) {
      self = !request.keepsAlive ? .closed : request.version == .http10 ? .keptAsAsked : .kept
    }
  }

  /// The head so far.
  package private(set) var bytes: [UInt8] = []
  private var date: DateField?
  private var persistence = Persistence.kept

  /// With room for the usual head.
  package init() { bytes.reserveCapacity(512) }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  /// Without room, to stand for one that is lent out.
  package static let none = ResponseHeadWriter(bytes: [])

  /// Starts a new head, in the room of the last one.
  package mutating func begin(date: DateField, _ persistence: Persistence) {
    bytes.removeAll(keepingCapacity: true)
    self.date = date
    self.persistence = persistence
  }

  /// The status line, `Date` and, where it is due, `Connection`.
  package mutating func status(_ status: HTTPStatus) {
    if status == .partialContent, let date {
      bytes.append(contentsOf: date.partialContentStart)
    } else {
      bytes.append(statusLine: status)
      if let date { bytes.append(contentsOf: date.line) }
    }
    switch persistence {
    case .kept: break
    case .keptAsAsked: bytes.append(literal: "Connection: keep-alive\r\n")
    case .closed: bytes.append(literal: "Connection: close\r\n")
    }
  }

  /// A field; control bytes in its value become spaces.
  package mutating func field(_ name: StaticString, _ value: String) {
    bytes.append(field: name, value)
  }

  /// A field with a number for its value.
  package mutating func field(_ name: StaticString, _ value: UInt64) {
    bytes.append(field: name, decimal: value)
  }

  /// `Content-Range`; nil for the `*` of a 416.
  package mutating func contentRange(_ range: Range<UInt64>?, length: UInt64) {
    bytes.append(contentRange: range, length: length)
  }

  /// The empty line.
  package mutating func end() { bytes.append(literal: "\r\n") }

  /// The whole head that lets a client send its body (RFC 9110 §15.2.1).
  package static let continueHead = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

  /// Field lines that lie ready.
  package mutating func lines(_ lines: ArraySlice<UInt8>) { bytes.append(contentsOf: lines) }

  /// All fields of a 206 that has one range.
  mutating func fields(of metadata: RepresentationMetadata, _ range: Range<UInt64>, now: Int64) {
    metadata.appendFields(of: range, now: now, to: &bytes)
  }
}
