internal import FootageBase
internal import FootageFetching
package import FootageAPI

/// The reason why a store did not do what was requested. Its `description` says what failed, at which store, and what
/// to do. It contains no secret, and nothing that a stranger could put there.
package struct ObjectStoreError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Reason: Hashable, Sendable {
    /// There is no answer, or one that means "later"; with the words for it.
    case away(String)
    case denied(Denial)
    case untrusted(Distrust)
    /// The store points elsewhere, and nothing was sent there; nil if it does not say where.
    case redirect(to: String?)
    /// There is no room for more; with the code or status that says so.
    case full(String)
    /// The object already exists, or is a different version (RFC 9110 §15.5.13).
    case preconditionFailed
    /// Another request for the same object is under way (RFC 9110 §15.5.10).
    case conflict
    /// The engine does not know the operation, or one of its conditions.
    case notImplemented
    /// There is no such object, or no such upload.
    case notFound
    /// The response is not an answer to this request; with words that say why.
    case malformed(String)
    /// The store does not accept the request; with the code that says why.
    case refused(String)
    /// The data to be sent cannot be read, for this reason; the store is not at fault.
    case unreadable(String)
    /// No store keeps an object under this key.
    case unusableKey
    /// The caller no longer wants the result.
    case cancelled
  }

  package enum Denial: Hashable, Sendable {
    /// The credentials are denied; with the code or status that says so.
    case credentials(String)
    case noBucket
    /// The bucket is in a different region from the signature's.
    case otherRegion(String)
    /// The clocks of the store and the client are too far apart.
    case clock
    /// The store demands a client certificate.
    case certificate
  }

  package enum Distrust: Error, Hashable, Sendable {
    /// Another server answers in its place; nothing was sent.
    case server(TrustFailure)
    /// There is no TLS with the store, for this reason; nothing was sent.
    case handshake(String)
    /// The store returns other bytes than it should, or another version of them; with words that say which.
    case bytes(String)
    /// The store reports that it received other bytes than were sent.
    case digestRefused
  }

  package let reason: Reason
  /// The request, such as `PUT of 'robot7/a.mp4'`.
  package let request: String
  /// The store as `HOST:PORT`.
  package let store: String

  package init(_ reason: Reason, _ request: String, of store: String) {
    self.reason = reason
    self.request = request
    self.store = store
  }
}

/// The troubles of a store that are reported to people, as codes of health.
package enum StoreTrouble: String, Hashable, Sendable, CaseIterable {
  case away = "offload-away"
  case denied = "offload-denied"
  case untrusted = "offload-untrusted"
  case redirect = "offload-redirect"
  case full = "offload-full"
}

extension ObjectStoreError {
  /// The trouble that this means; nil if it does not concern the store as a whole.
  package var trouble: StoreTrouble? {
    switch reason {
    case .away, .malformed: .away
    case .denied, .refused: .denied
    case .untrusted: .untrusted
    case .redirect: .redirect
    case .full: .full
    case .preconditionFailed, .conflict, .notImplemented, .notFound, .unreadable, .unusableKey, .cancelled: nil
    }
  }

  package var description: String {
    switch reason {
    case .away(let words):
      "\(request): the store \(store) does not answer (\(words)): it is asked again later; see whether it runs"
    case .denied(let denial): "\(request): the store \(store) \(Self.words(denial))"
    case .untrusted(let distrust): "\(request): \(Self.words(distrust, store))"
    case .redirect(let host):
      """
      \(request): the store \(store) points to \(host ?? "another host"), and nothing was sent there: if that is where \
      the bucket is, give its address
      """
    case .full(let code): "\(request): the store \(store) is full (\(code)): make room there, or raise its quota"
    case .preconditionFailed:
      "\(request): the store \(store) has another version of this, or one already: look what is there"
    case .conflict: "\(request): another request for this is under way at the store \(store): it is asked again later"
    case .notImplemented: "\(request): the store \(store) does not know this operation"
    case .notFound: "\(request): the store \(store) has no such object"
    case .malformed(let words):
      "\(request): the answer of \(store) is none of a store (\(words)): is it a store with the S3 API?"
    case .refused(let code): "\(request): the store \(store) does not take it (\(code))"
    case .unreadable(let words): "\(request): what was to be sent to \(store) cannot be read: \(words)"
    case .unusableKey:
      """
      \(request): no store keeps an object under this name: it is longer than 1024 bytes, or has '.', '..' or control \
      characters
      """
    case .cancelled: "\(request): it was given up"
    }
  }

  private static func words(_ denial: Denial) -> String {
    switch denial {
    case .credentials(let code):
      "does not let this key in (\(code)): see whether the access key and its secret are right, and what they may do"
    case .noBucket: "has no such bucket: make it there, or correct the address"
    case .otherRegion(let region): "has the bucket in the region '\(region)': give that one"
    case .clock: "does not take the time of this machine: set its clock"
    case .certificate: "wants a client certificate, which is not shown to any: let it take the key alone"
    }
  }

  private static func words(_ distrust: Distrust, _ store: String) -> String {
    switch distrust {
    case .server(let failure): return words(failure, store)
    case .handshake(let words):
      return "there is no TLS with \(store) (\(words)), and nothing was sent: is it a store that answers there?"
    case .bytes(let words): return "the store \(store) gives other bytes than it was given: \(words)"
    case .digestRefused:
      return """
        the store \(store) says that it got other bytes than were sent: it is tried again; if that stays so, something \
        between changes them
        """
    }
  }

  private static func words(_ failure: TrustFailure, _ store: String) -> String {
    let key = failure.seen.map { "the key \($0)" } ?? "no key that can be read"
    let pins = failure.expected.map(\.description).joined(separator: " or ")
    let fault =
      switch failure.reason {
      case .otherKey: "and \(pins) is pinned"
      case .nobodyIsTrusted: "and nobody is trusted"
      case .keyNotProven: "and does not have its private key"
      case .outOfDate(.expired(let moment)):
        "but its certificate ended on \(day(moment)): this clock is wrong, or it has to be renewed"
      case .outOfDate(.notYetValid(let moment)):
        "but its certificate begins on \(day(moment)): this clock is wrong, or the one that made it"
      case .notFromAuthority(let words): "which no trusted authority vouches for (\(words))"
      case .otherHostName: "with a certificate for another name"
      case .weak(let words): "which anybody with enough computers could have made (\(words))"
      case .unreadableCertificate: "since its certificate cannot be read"
      }
    return """
      \(store) shows \(key), \(fault): nothing was sent. If it is the store all the same, pin its key or name its \
      authority; if not, somebody else answers in its place
      """
  }

  private static func day(_ unixSeconds: Int64) -> String { CivilTime(unixSeconds: unixSeconds).dateText }
}

extension ObjectStoreError.Reason {
  init(_ error: HTTPClientError) {
    self =
      switch error {
      case .nameNotFound, .unreachable, .disconnected, .timedOut: .away(error.description)
      case .tls(.trust(let failure)): .untrusted(.server(failure))
      case .tls(.identity): .denied(.certificate)
      case .tls(let failure): .untrusted(.handshake(failure.description))
      case .malformed(let words): .malformed(words)
      case .badRequest(let words): .malformed(words)
      case .bodyUnreadable(let words): .unreadable(words)
      case .cancelled: .cancelled
      }
  }
}
