@_exported public import FootageAPI
@_exported public import struct FootageBase.AudioFormat
@_exported public import struct FootageBase.VideoFormat

/// A pinned connection to one robot: over OpenSSL on Linux, over Network.framework on Apple's platforms, or an app's own.
public protocol MediaTransport: Sendable {
  /// Sends a request, a GET unless it says otherwise, and waits for the head of its answer, whatever its status.
  /// Redirections are not followed.
  ///
  /// Cancelling the task closes the connection and makes it, and a body's `next`, return promptly.
  ///
  /// - Throws: `TransportFailure`. Nothing may be sent to a server that is not trusted, and nothing is tried again.
  func open(_ request: MediaRequest) async throws(TransportFailure) -> MediaResponse

  /// Another request may follow while this one's answer still comes: whatever makes it quick can be done now.
  func prepare() async
}

extension MediaTransport {
  public func prepare() async {}
}

/// What is asked for: a resource, or a range of one version of it.
public struct MediaRequest: Hashable, Sendable {
  /// What is done. All of them may be sent again where no answer came.
  public enum Method: Hashable, Sendable {
    /// It is only asked for.
    case get
    /// Something is put there; without a body.
    case put
    /// Something is taken away.
    case delete
  }

  /// What is done with the resource. A transport that sends a GET all the same changes nothing: the robot refuses it.
  public var method = Method.get
  /// Path and query, percent-encoded.
  public var target: String
  /// Half-open, not empty; `UInt64.max` as its end asks for everything from its start on.
  public var range: Range<UInt64>?
  /// A strong entity tag, quotes included, for `If-Range` (RFC 9110 §13.1.5).
  public var ifRange: String?
  /// Whether it goes over a connection that is made for it: those that are open may be dead, and tell of it only after
  /// long. Where there are as many as there may be, one that is not in use makes room, or one that is in use is waited
  /// for.
  public var isOnNewConnection = false
  /// How long making a connection may take, finding the address included; nil for the transport's own limits.
  public var connectionTimeout: Duration?

  /// - Parameters:
  ///   - target: path and query, percent-encoded.
  ///   - range: half-open, not empty.
  ///   - ifRange: a strong entity tag, quotes included.
  public init(_ target: String, range: Range<UInt64>? = nil, ifRange: String? = nil) {
    self.target = target
    self.range = range
    self.ifRange = ifRange
  }
}

/// The head of an answer as far as the client looks at it, and its body as it comes.
public struct MediaResponse: Sendable {
  /// RFC 9110 §15.
  public var status: Int
  /// `ETag` as it stands there, quotes included; nil where it is missing or malformed.
  public var entityTag: String?
  /// `Content-Range`; nil where it is missing or malformed.
  public var contentRange: MediaContentRange?
  /// `Content-Length`, in bytes; nil where the body's length is not known beforehand.
  public var contentLength: UInt64?
  /// `Content-Encoding`, in lower case; nil where it is missing. What is encoded is not taken.
  public var contentEncoding: String?
  /// `Retry-After`: how long from now (RFC 9110 §10.2.3).
  public var retryAfter: Duration?
  /// How long it took until there was a connection for the request; nil where the transport does not say. For metrics
  /// alone.
  public var connectedAfter: Duration?
  /// As it was sent: nothing in between has unpacked or changed it.
  public var body: any MediaBody

  /// What is not given, the answer does not say.
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

/// Which part of a recording an answer holds (RFC 9110 §14.4).
public struct MediaContentRange: Hashable, Sendable {
  /// Half-open; nil where it is `*`.
  public var range: Range<UInt64>?
  /// Of the whole, in bytes.
  public var length: UInt64

  /// - Parameters:
  ///   - range: half-open; nil where it is `*`.
  ///   - length: of the whole, in bytes.
  public init(range: Range<UInt64>?, length: UInt64) {
    self.range = range
    self.length = length
  }
}

/// The body of an answer, as it comes, for one reader at a time. Dropped before its end it gives up the request; at its
/// end its connection is kept.
public protocol MediaBody: Sendable {
  /// Waits for the next bytes.
  ///
  /// - Returns: at least one byte and some hundred kB at most; nil once the body is whole, and never before.
  func next() async throws(TransportFailure) -> [UInt8]?
}

/// Why there is no answer, or not all of one.
public enum TransportFailure: Error, Hashable, Sendable {
  /// It can pass: refused, reset, timed out, cut off.
  case passing(String)
  /// The person has not allowed the app to use the local network, which can pass, too.
  case localNetworkDenied
  /// Who answers is not the robot; nothing was sent to it.
  case trust(TrustFailure)
  /// The app's own certificate cannot be shown, or is not welcome.
  case identity(IdentityFailure)
  /// What came is not what was announced, or no HTTP at all; or the request cannot be sent.
  case final(String)
  /// The task was cancelled.
  case cancelled
}
