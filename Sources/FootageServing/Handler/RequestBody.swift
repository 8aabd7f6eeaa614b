package import FootageHTTP

/// The limits for the size and the duration of a request's body.
package struct RequestBodyLimit: Sendable {
  /// The limit for the body's own bytes, without its coding. A request with a larger body is refused (413).
  package var byteCount: UInt64
  /// The total time for which the body may be waited for; nil for the server's limit.
  package var duration: Duration?

  package init(byteCount: UInt64, duration: Duration? = nil) {
    self.byteCount = byteCount
    self.duration = duration
  }
}

/// The reason why there is no more of a body. No more can be read from its connection, which is closed after the
/// answer.
package enum RequestBodyError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The body breaks HTTP, or is larger than the handler's limit. The answer reports that, whatever the handler
  /// returns.
  case refused(MessageRefusal)
  /// The connection ended, or the client was too slow. There is no client to answer.
  case connectionFailed(StreamError)

  package var description: String {
    switch self {
    case .refused(let refusal): refusal.description
    case .connectionFailed(let error): error.description
    }
  }
}

/// The body of a request, which the handler reads piece by piece. Bytes that it does not read are discarded after the
/// answer.
///
/// A client that asked for permission to send the body (RFC 9110 §10.1.1) gets it at the first read. If a handler
/// refuses the request without reading, the client need not send the body.
package struct RequestBody {
  private let framing: BodyFraming
  private let connection: any RequestConnection

  init(_ framing: BodyFraming, over connection: any RequestConnection) {
    self.framing = framing
    self.connection = connection
  }

  /// True if there is no body.
  package var isEmpty: Bool { framing == .none }

  /// The length in bytes, as the client announced it before the body; nil if it announced none.
  package var length: UInt64? {
    switch framing {
    case .none: 0
    case .length(let length): length
    case .chunked: nil
    }
  }

  /// Waits for the next bytes.
  ///
  /// - Parameter limit: the limits of the whole body. A body that is known to be larger is refused without a wait.
  /// - Returns: at least one byte, and no more than one piece of the connection's buffer; nil once the body is
  ///   complete.
  package func next(within limit: RequestBodyLimit) async throws(RequestBodyError) -> [UInt8]? {
    isEmpty ? nil : try await connection.nextBodyBytes(within: limit)
  }

  /// Returns all of the body, which must be small.
  package func bytes(within limit: RequestBodyLimit) async throws(RequestBodyError) -> [UInt8] {
    var all: [UInt8] = []
    while let bytes = try await next(within: limit) {
      if all.isEmpty { all = bytes } else { all += bytes }
    }
    return all
  }
}
