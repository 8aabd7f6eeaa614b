package import FootageHTTP

/// A handler that answers requests. Each loop has its own, which is used only on that loop's thread.
package protocol HTTPHandler: AnyObject, SendableMetatype {
  /// The whole field lines of every response, each with its line end. They are read once.
  var commonFields: StaticString { get }

  /// The policy that determines which other origins' pages may read the answers; nil if none is announced. It is read
  /// once.
  var crossOriginPolicy: CrossOriginPolicy? { get }

  /// The observers of this loop's exchanges. They are read once.
  var observers: [any ExchangeObserver] { get }

  /// Decides if a request is accepted, and with it the connection. Called before each request if
  /// `TransportLimits.newcomers` is set.
  ///
  /// - Returns: nil if the request is to be answered; otherwise the document to send instead, after which the
  ///   connection is closed.
  func refusal(of request: RequestHead, from visitor: Visitor) async -> HTTPDocument?

  /// Returns the answer to a request, if it needs neither a wait nor the request's body. Otherwise `respond` is called.
  /// This is not called if `TransportLimits.newcomers` is set.
  func respondAtOnce(to request: Request) -> (any ResponseBody)?

  /// Returns the answer to a request. The connection takes care of ranges, conditions, HEAD and the body.
  ///
  /// - Throws: the error of the request's body, which the connection answers.
  func respond(to request: Request) async throws(RequestBodyError) -> HTTPResponse

  /// Handles that a body could not be read, so that its response is replaced or cut off.
  func noteFailure(of body: any ResponseBody, _ error: ResponseBodyError, answering request: RequestHead)

  /// Returns the answer to input that is not a request, to a request whose conditions or ranges cannot be met (412,
  /// 416), or to one whose response body could not be read before any of it was sent (500).
  func document(for refusal: ResponseRefusal) -> HTTPDocument
}

extension HTTPHandler {
  package var crossOriginPolicy: CrossOriginPolicy? { nil }
  package var observers: [any ExchangeObserver] { [] }
  package func refusal(of request: RequestHead, from visitor: Visitor) async -> HTTPDocument? { nil }
}

/// The reason why a connection answers with an error document of the handler instead of the requested resource.
package enum ResponseRefusal: Sendable {
  case message(MessageRefusal)
  case preconditionFailed
  case rangeNotSatisfiable(length: UInt64)
  case bodyFailed(ResponseBodyError)
  /// A client certificate is required for every request (403). The head is nil if the request cannot be read.
  case certificateRequired(RequestHead?)
  /// The client spoke HTTP without TLS, to this host and port, if they are known.
  case needsTLS(authority: String?)
}
