package import FootageHTTP

/// What answers requests: one object a loop, used on that loop's thread alone.
package protocol HTTPHandler: AnyObject, SendableMetatype {
  /// Whole field lines, each with its end, for every response whatever it is; asked for once.
  var commonFields: StaticString { get }

  /// Which other origins' pages may read the answers; nil where nothing is said about it. Asked for once.
  var crossOriginPolicy: CrossOriginPolicy? { get }

  /// What is told of every exchange of this loop; asked for once.
  var observers: [any ExchangeObserver] { get }

  /// Whether a request lets its connection in, and is answered. Asked before each, where `TransportLimits.newcomers`
  /// says so.
  ///
  /// - Returns: nil where it is; else what it gets instead, which is the last that its connection gets.
  func refusal(of request: RequestHead, from visitor: Visitor) async -> HTTPDocument?

  /// The answer to a request, if there is one without waiting and without the request's body; not asked where
  /// connections have to be let in. Else `respond` is asked.
  func respondAtOnce(to request: Request) -> (any ResponseBody)?

  /// The answer to a request; the connection takes care of ranges, conditions, HEAD and the body.
  ///
  /// - Throws: what the request's body threw, which the connection answers.
  func respond(to request: Request) async throws(RequestBodyError) -> HTTPResponse

  /// A body could not be read, so that its response is another one, or is cut off.
  func noteFailure(of body: any ResponseBody, _ error: ResponseBodyError, answering request: RequestHead)

  /// The answer to what is no request, or to one whose conditions or ranges cannot be met (412, 416), or whose body
  /// could not be read before anything of it was sent (500).
  func document(for refusal: ResponseRefusal) -> HTTPDocument
}

extension HTTPHandler {
  package var crossOriginPolicy: CrossOriginPolicy? { nil }
  package var observers: [any ExchangeObserver] { [] }
  package func refusal(of request: RequestHead, from visitor: Visitor) async -> HTTPDocument? { nil }
}

/// Why a connection answers with a document of the handler's in place of what was asked for.
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
