/// What answers requests: one object a loop, used on that loop's thread alone.

package import HTTPSemantics
package import Networking

package protocol HTTPHandler: AnyObject, SendableMetatype {
  /// Whole field lines, each with its end, for every response whatever it is; asked for once.
  var commonFields: StaticString { get }

  /// Whether a request lets its connection in, and is answered. Asked before each, where `TransportLimits.newcomers` says so.
  ///
  /// - Returns: nil where it is; else what it gets instead, which is the last that its connection gets.
  func refusal(of request: RequestHead, from visitor: Visitor) async -> HTTPDocument?

  /// The answer to a request, if there is one without waiting; not asked where connections have to be let in. Else `respond` is asked.
  func respondAtOnce(to request: RequestHead) -> (any ResponseBody)?

  /// The answer to a request; the connection takes care of ranges, conditions, HEAD and the body.
  func respond(to request: RequestHead, over connection: any RequestContext) async -> HTTPResponse

  /// A body could not be read, so that its response is another one, or is cut off.
  func noteFailure(of body: any ResponseBody, _ error: ResponseBodyError, answering request: RequestHead)

  /// The answer to what is no request, or to one whose conditions or ranges cannot be met (412, 416), or whose body
  /// could not be read before anything of it was sent (500).
  func document(for refusal: ResponseRefusal) -> HTTPDocument

  /// Whether `log` wants to be told.
  var logsExchanges: Bool { get }

  /// A request was answered, or its connection ended over it.
  func log(_ exchange: HTTPExchange)

  /// A connection ended by something that is worth a word: a failed handshake, a deadline.
  func log(_ error: StreamError, from peer: SocketAddress)
}

extension HTTPHandler {
  package func refusal(of request: RequestHead, from visitor: Visitor) async -> HTTPDocument? { nil }
}

package enum ResponseRefusal: Sendable {
  case message(MessageRefusal)
  case preconditionFailed
  case rangeNotSatisfiable(length: UInt64)
  case bodyFailed(ResponseBodyError)
  /// Whatever is asked for, nobody gets it without a client certificate (403); nil where the request cannot be read.
  case certificateRequired(RequestHead?)
  /// Somebody spoke HTTP without TLS; to this host and port, as far as that is known.
  case needsTLS(authority: String?)
}

/// A request and what became of it, for the access log.
package struct HTTPExchange: Sendable {
  package let peer: SocketAddress
  /// The name in the client's certificate, as its authority wrote it; nil where none was shown.
  package let client: String?
  /// Nil where what came could not be read as a request.
  package let request: RequestHead?
  package let status: HTTPStatus
  /// Of the body, without heads.
  package let byteCount: UInt64
  package let duration: Duration
  /// Whether the response was cut off.
  package let isCutOff: Bool
  /// Whether the request was held, for a change that its client would rather hear of.
  package let wasHeld: Bool
}
