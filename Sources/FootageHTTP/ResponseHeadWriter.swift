/// Writes response heads into a buffer that is reused.

/// A writer of response heads for one loop or connection (RFC 9112 §4). Call `begin` and `status`, add fields, call
/// `end`, and send `bytes`.
package struct ResponseHeadWriter: Sendable {
  /// The persistence of the connection that a head states (RFC 9112 §9.3).
  package enum Persistence: Hashable, Sendable {
    /// The connection is kept, which is the default in HTTP/1.1.
    case kept
    /// The connection is kept, and the head says so because the client uses HTTP/1.0.
    case keptAsAsked
    case closed

    /// Creates the persistence that the client asked for.
    package init(for request: borrowing RequestHead) {
      self = !request.keepsAlive ? .closed : request.version == .http10 ? .keptAsAsked : .kept
    }
  }

  /// The head so far.
  package private(set) var bytes: [UInt8] = []
  private var date: DateField?
  private var persistence = Persistence.kept

  /// Creates a writer with room for the usual head.
  package init() { bytes.reserveCapacity(512) }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  /// A writer without a buffer. A variable holds it while another object uses the variable's actual writer.
  package static let none = ResponseHeadWriter(bytes: [])

  /// Starts a new head in the memory of the last one.
  package mutating func begin(date: DateField, _ persistence: Persistence) {
    bytes.removeAll(keepingCapacity: true)
    self.date = date
    self.persistence = persistence
  }

  /// Appends the status line, `Date` and, if it is needed, `Connection`.
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

  /// Appends a field. Control bytes in its value become spaces.
  package mutating func field(_ name: StaticString, _ value: String) {
    bytes.append(field: name, value)
  }

  /// Appends a field whose value is a number.
  package mutating func field(_ name: StaticString, _ value: UInt64) {
    bytes.append(field: name, decimal: value)
  }

  /// Appends `Content-Range`; nil writes the `*` of a 416.
  package mutating func contentRange(_ range: Range<UInt64>?, length: UInt64) {
    bytes.append(contentRange: range, length: length)
  }

  /// Appends the empty line.
  package mutating func end() { bytes.append(literal: "\r\n") }

  /// The whole head that permits a client to send its body (RFC 9110 §15.2.1).
  package static let continueHead = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

  /// Appends prepared field lines.
  package mutating func lines(_ lines: ArraySlice<UInt8>) { bytes.append(contentsOf: lines) }

  /// Appends all fields of a 206 with one range.
  mutating func fields(of metadata: RepresentationMetadata, _ range: Range<UInt64>, now: Int64) {
    metadata.appendFields(of: range, now: now, to: &bytes)
  }
}
