/// The reason why a robot does not do what it was asked, for programs: the `code` of its problem documents (RFC 9457).
///
/// Errors of HTTP itself (a malformed head, a range that cannot be satisfied) have codes of their own, which no app
/// uses.
package enum ProblemCode: String, CaseIterable, Sendable {
  /// There is nothing with that name (404).
  case notFound = "not-found"
  /// The recorder still writes to the recording (404).
  case notReady = "not-ready"
  /// The recording cannot be served, for the reason that the list gives (404).
  case refused = "refused"
  /// The requested version no longer exists: the recording has a different tag now (404).
  case gone = "gone"
  /// No client is admitted without a certificate (403).
  case certificateRequired = "certificate-required"
  /// The client may see the resource, but its certificate does not give the right to this action (403).
  case notPermitted = "not-permitted"
  /// The request would change something, but comes from a web page of another origin (403).
  case foreignOrigin = "foreign-origin"
  /// The recording cannot be protected anywhere, or its protection cannot be ended (409).
  case cannotKeep = "cannot-keep"
  /// The body is not JSON, or the request does not declare it as JSON (415).
  case notJSON = "not-json"
  /// The body lacks something, or contains values that make no sense (400).
  case badBody = "bad-body"
  /// A parameter is unknown, repeated, empty, malformed or contradicts another one (400).
  case badQuery = "bad-query"
  /// The request is for more time than a view of this kind can cover (400).
  case tooLong = "too-long"
  /// The requested time begins after the end of the recording (400).
  case outside = "outside"
  /// The robot knows the view's name, but cannot make the view (400). Only earlier versions of its program send this
  /// code.
  case unsupportedView = "unsupported-view"
  /// The viewer already has as many requests waiting for a change as it may have (429).
  case tooManyWaiting = "too-many-waiting"
  /// The recording has nothing that this view could show (404).
  case noSuchView = "no-such-view"
  /// The camera recorded nothing at that time (404).
  case noFootage = "no-footage"
  /// The recordings of that time have formats that cannot be in a single movie (409).
  case formatsDiffer = "formats-differ"
  /// The recording has ended, and will not grow any further (410).
  case closed = "closed"
  /// Too many requests of this kind are being served at the moment (503).
  case busy = "busy"
  /// The recording has just changed (503).
  case changed = "changed"
  /// The recording's bytes cannot be read at the moment (503).
  case unreadable = "unreadable"
  /// The recording's bytes are only in the robot's store, which does not deliver them at the moment (502).
  case storeAway = "store-away"
  /// The request came to the socket or address that only this machine uses, but its `Host` field names another host
  /// (403).
  case foreignHost = "foreign-host"
  /// The method is unknown (501).
  case unknownMethod = "unknown-method"
}
