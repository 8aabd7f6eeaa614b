package import FootageHTTP

/// How large a request's body may be, and how slow.
package struct RequestBodyLimit: Sendable {
  /// Of the body's own bytes, without its coding. One more, and the request is refused (413).
  package var byteCount: UInt64
  /// How long the body may be waited for in all; nil for the server's limit.
  package var duration: Duration?

  package init(byteCount: UInt64, duration: Duration? = nil) {
    self.byteCount = byteCount
    self.duration = duration
  }
}

/// Why there is no more of a body. Nothing more can be read of its connection, which is closed after the answer.
package enum RequestBodyError: Error, Hashable, Sendable, CustomStringConvertible {
  /// It breaks HTTP, or is larger than the handler's limit. The answer says so, whatever the handler answers.
  case refused(MessageRefusal)
  /// The connection ended, or the client was too slow: nobody is left to be answered.
  case connectionFailed(StreamError)

  package var description: String {
    switch self {
    case .refused(let refusal): refusal.description
    case .connectionFailed(let error): error.description
    }
  }
}

/// The body of a request, pulled piece by piece: what nobody pulls stays where it is, and at its end is dropped.
///
/// A client that asked whether to send it (RFC 9110 §10.1.1) is told to with the first pull; a handler that refuses the
/// request without a pull spares the client all of it.
package struct RequestBody {
  private let framing: BodyFraming
  private let connection: any RequestConnection

  init(_ framing: BodyFraming, over connection: any RequestConnection) {
    self.framing = framing
    self.connection = connection
  }

  /// Whether there is none.
  package var isEmpty: Bool { framing == .none }

  /// In bytes, as the client said before it sent any; nil where it did not.
  package var length: UInt64? {
    switch framing {
    case .none: 0
    case .length(let length): length
    case .chunked: nil
    }
  }

  /// Waits for the next bytes.
  ///
  /// - Parameter limit: of the whole body. A body that is known to be larger is refused before it is waited for.
  /// - Returns: at least one byte, and no more than one piece of the connection's buffer; nil once the body is whole.
  package func next(within limit: RequestBodyLimit) async throws(RequestBodyError) -> [UInt8]? {
    isEmpty ? nil : try await connection.nextBodyBytes(within: limit)
  }

  /// All of it, which has to be small.
  package func bytes(within limit: RequestBodyLimit) async throws(RequestBodyError) -> [UInt8] {
    var all: [UInt8] = []
    while let bytes = try await next(within: limit) {
      if all.isEmpty { all = bytes } else { all += bytes }
    }
    return all
  }
}
