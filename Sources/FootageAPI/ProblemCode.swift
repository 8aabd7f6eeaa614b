/// Why a robot does not do what it was asked, for programs: the `code` of its problem documents (RFC 9457).
///
/// What HTTP itself refuses (a malformed head, a range that cannot be had) has codes of its own, which no app goes by.
package enum ProblemCode: String, CaseIterable, Sendable {
  /// There is nothing of that name (404).
  case notFound = "not-found"
  /// The recorder still writes to it (404).
  case notReady = "not-ready"
  /// It cannot be served, for the reason that the list gives (404).
  case refused = "refused"
  /// The version that was asked for by its tag is another one by now (404).
  case gone = "gone"
  /// Nobody is let in without a client certificate (403).
  case certificateRequired = "certificate-required"
  /// The asker's certificate does not give the right to do this with what it may see (403).
  case notPermitted = "not-permitted"
  /// What changes something came from a web page of another origin (403).
  case foreignOrigin = "foreign-origin"
  /// It can be protected nowhere, or its protection cannot be ended (409).
  case cannotKeep = "cannot-keep"
  /// The body is no JSON, or does not say so (415).
  case notJSON = "not-json"
  /// The body lacks something, or says what makes no sense (400).
  case badBody = "bad-body"
  /// A parameter is unknown, repeated, empty, malformed or contradicts another one (400).
  case badQuery = "bad-query"
  /// More time than a view of this kind can have (400).
  case tooLong = "too-long"
  /// It begins behind the end of the recording (400).
  case outside = "outside"
  /// Earlier versions of the robot's program know the view's name, and cannot make it (400).
  case unsupportedView = "unsupported-view"
  /// As many requests of this viewer wait for a change as may (429).
  case tooManyWaiting = "too-many-waiting"
  /// The recording has nothing that this view could show (404).
  case noSuchView = "no-such-view"
  /// The camera recorded nothing at that time (404).
  case noFootage = "no-footage"
  /// The recordings of that time are of formats that no single movie can have (409).
  case formatsDiffer = "formats-differ"
  /// The recording has ended, and nothing more of it will come (410).
  case closed = "closed"
  /// Too much of the kind is asked for at once (503).
  case busy = "busy"
  /// It has just changed (503).
  case changed = "changed"
  /// Its bytes cannot be read just now (503).
  case unreadable = "unreadable"
  /// Its bytes are in the robot's store alone, which does not give them just now (502).
  case storeAway = "store-away"
  /// The socket or address for this machine alone was asked by another name (403).
  case foreignHost = "foreign-host"
  /// The method is none that is known (501).
  case unknownMethod = "unknown-method"
}
