@_exported public import FootageAPI
@_exported public import struct FootageBase.AudioFormat
@_exported public import struct FootageBase.VideoFormat
@_exported public import struct FootageBase.VideoTrack

/// A pinned connection to one robot: over OpenSSL on Linux, over Network.framework on Apple's platforms, or over an
/// app's own transport.
public protocol MediaTransport: Sendable {
  /// Sends a request, by default a GET, and waits for the head of its answer, whatever its status. Redirections are not
  /// followed.
  ///
  /// Canceling the task closes the connection, and makes this method and a body's `next` return promptly.
  ///
  /// - Throws: `TransportFailure`. An implementation must not send anything to a server that is not trusted, and must
  ///   not retry.
  func open(_ request: MediaRequest) async throws(TransportFailure) -> MediaResponse

  /// Prepares for another request, which may follow while the current response is still arriving. For example, a
  /// transport may open a connection in advance.
  func prepare() async
}

extension MediaTransport {
  public func prepare() async {}
}

/// A request for a resource, or for a range of one version of it.
public struct MediaRequest: Hashable, Sendable {
  /// The action of a request. Each of them may be sent again if no answer arrived.
  public enum Method: Hashable, Sendable {
    /// The resource is only read.
    case get
    /// The request stores a state, without a body.
    case put
    /// The request removes a state.
    case delete
  }

  /// The method. A transport that ignores it and sends a GET causes no change, because the robot refuses the request.
  public var method = Method.get
  /// The path and query, percent-encoded.
  public var target: String
  /// The range of bytes, half-open and not empty. The end `UInt64.max` requests everything from its start on.
  public var range: Range<UInt64>?
  /// A strong entity tag, with its quotes, for `If-Range` (RFC 9110 §13.1.5).
  public var ifRange: String?
  /// True if the request is sent over a new connection. An open connection may be broken, which can take long to
  /// notice. If the limit of connections is reached, an idle one is closed, or the request waits for a busy one.
  public var isOnNewConnection = false
  /// The time that opening a connection may take, including the name lookup; nil for the transport's own limits.
  public var connectionTimeout: Duration?

  /// - Parameters:
  ///   - target: the path and query, percent-encoded.
  ///   - range: half-open, not empty.
  ///   - ifRange: a strong entity tag, with its quotes.
  public init(_ target: String, range: Range<UInt64>? = nil, ifRange: String? = nil) {
    self.target = target
    self.range = range
    self.ifRange = ifRange
  }
}

/// The parts of a response's head that the client reads, and the body as it arrives.
public struct MediaResponse: Sendable {
  /// The status (RFC 9110 §15).
  public var status: Int
  /// The `ETag` as it was sent, with its quotes; nil if it is missing or malformed.
  public var entityTag: String?
  /// The `Content-Range`; nil if it is missing or malformed.
  public var contentRange: MediaContentRange?
  /// The `Content-Length`, in bytes; nil if the body's length is not known in advance.
  public var contentLength: UInt64?
  /// The `Content-Encoding`, in lower case; nil if it is missing. An encoded body is not accepted.
  public var contentEncoding: String?
  /// The `Retry-After`, as a duration from now (RFC 9110 §10.2.3).
  public var retryAfter: Duration?
  /// The time from the request until a connection could send it; nil if the transport does not measure it. It is only
  /// used for metrics.
  public var connectedAfter: Duration?
  /// The body as it was sent: nothing has decompressed or changed it on the way.
  public var body: any MediaBody

  /// Creates an answer. Arguments that are left out mean that the answer has no such field.
  public init(
    status: Int, entityTag: String? = nil, contentRange: MediaContentRange? = nil, contentLength: UInt64? = nil,
    contentEncoding: String? = nil, retryAfter: Duration? = nil, body: any MediaBody
  ) {
    self.status = status
    self.entityTag = entityTag
    self.contentRange = contentRange
    self.contentLength = contentLength
    self.contentEncoding = contentEncoding
    self.retryAfter = retryAfter
    self.body = body
  }
}

/// The part of a recording that an answer holds (RFC 9110 §14.4).
public struct MediaContentRange: Hashable, Sendable {
  /// The range of bytes, half-open; nil if the field has `*` instead.
  public var range: Range<UInt64>?
  /// The length of the whole recording, in bytes.
  public var length: UInt64

  /// - Parameters:
  ///   - range: half-open; nil if the field has `*` instead.
  ///   - length: the length of the whole recording, in bytes.
  public init(range: Range<UInt64>?, length: UInt64) {
    self.range = range
    self.length = length
  }
}

/// The body of an answer as it arrives, for one reader at a time. Dropping it before its end cancels the request; at
/// its end the connection is kept.
public protocol MediaBody: Sendable {
  /// Waits for the next bytes.
  ///
  /// - Returns: at least one byte and at most a few hundred kB; nil only when the body is complete.
  func next() async throws(TransportFailure) -> [UInt8]?
}

/// The reason why there is no response, or an incomplete one.
public enum TransportFailure: Error, Hashable, Sendable {
  /// The failure is temporary: the connection was refused, reset, timed out or cut off.
  case passing(String)
  /// The user has not allowed the app to use the local network, but may allow it later.
  case localNetworkDenied
  /// The peer is not the robot; nothing was sent to it.
  case trust(TrustFailure)
  /// The app's own certificate cannot be presented, or the robot does not accept it.
  case identity(IdentityFailure)
  /// The response differs from what its head announced, or is not HTTP; or the request cannot be sent.
  case final(String)
  /// The task was canceled.
  case cancelled
}
