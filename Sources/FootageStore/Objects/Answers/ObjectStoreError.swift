internal import FootageBase
internal import FootageFetching
package import FootageAPI

/// The reason why a store did not do what was requested. Its `description` says what failed, at which store, and what
/// to do. It contains no secret, and no text that an attacker could have chosen.
package struct ObjectStoreError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Reason: Hashable, Sendable {
    /// There is no answer, or the store cannot answer now. The text says which.
    case away(String)
    case denied(Denial)
    case untrusted(Distrust)
    /// The store redirects to another host, to which nothing was sent; nil if the redirect names no host.
    case redirect(to: String?)
    /// The store has no room for more. The text is the code or status.
    case full(String)
    /// The object already exists, or is a different version (RFC 9110 §15.5.13).
    case preconditionFailed
    /// Another request for the same object is in progress (RFC 9110 §15.5.10).
    case conflict
    /// The engine does not know the operation, or one of its conditions.
    case notImplemented
    /// There is no such object, or no such upload.
    case notFound
    /// The response is not an answer to this request; the text says why.
    case malformed(String)
    /// The store does not accept the request; the text is the code.
    case refused(String)
    /// The data to be sent cannot be read, for this reason; the store is not at fault.
    case unreadable(String)
    /// No store keeps an object under this key.
    case unusableKey
    /// The caller no longer wants the result.
    case cancelled
  }

  package enum Denial: Hashable, Sendable {
    /// The credentials are denied; the text is the code or status.
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
    /// Another server answers in place of the store; no request was sent.
    case server(TrustFailure)
    /// The TLS handshake with the store failed, for this reason; no request was sent.
    case handshake(String)
    /// The store returns wrong bytes, or a different version of an object. The text says which.
    case bytes(String)
    /// The store reports that the bytes that it received differ from those that were sent.
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
  /// The trouble that the error indicates; nil if the error concerns only one object.
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
      """
      \(request): the store \(store) does not answer (\(words)): the request will be retried; check that the store is \
      running
      """
    case .denied(let denial): "\(request): the store \(store) \(Self.words(denial))"
    case .untrusted(let distrust): "\(request): \(Self.words(distrust, store))"
    case .redirect(let host):
      """
      \(request): the store \(store) redirects to \(host ?? "another host"), and nothing was sent there: if the bucket \
      is there, use that address
      """
    case .full(let code): "\(request): the store \(store) is full (\(code)): free space there, or raise its quota"
    case .preconditionFailed:
      "\(request): the store \(store) already has this object, or another version of it: check what is there"
    case .conflict:
      "\(request): another request for this object is in progress at the store \(store): this one will be retried"
    case .notImplemented: "\(request): the store \(store) does not support this operation"
    case .notFound: "\(request): the store \(store) has no such object"
    case .malformed(let words):
      "\(request): \(store) gave an invalid answer (\(words)): is it a store with the S3 API?"
    case .refused(let code): "\(request): the store \(store) refused the request (\(code))"
    case .unreadable(let words): "\(request): the data for \(store) cannot be read: \(words)"
    case .unusableKey:
      """
      \(request): no store accepts this name for an object: it is longer than 1024 bytes, or a part of it is '.' \
      or '..' or has control characters
      """
    case .cancelled: "\(request): canceled"
    }
  }

  private static func words(_ denial: Denial) -> String {
    switch denial {
    case .credentials(let code):
      "rejects this key (\(code)): check the access key, its secret and its permissions"
    case .noBucket: "has no such bucket: create it there, or correct the address"
    case .otherRegion(let region): "has the bucket in the region '\(region)': use that region"
    case .clock: "rejects the time of this machine: set this machine's clock"
    case .certificate:
      "demands a client certificate, but none is ever sent to a store: configure it to accept the key alone"
    }
  }

  private static func words(_ distrust: Distrust, _ store: String) -> String {
    switch distrust {
    case .server(let failure): return words(failure, store)
    case .handshake(let words):
      return "cannot connect to \(store) by TLS (\(words)), and nothing was sent: is it a store that answers there?"
    case .bytes(let words): return "the store \(store) returned other bytes than expected: \(words)"
    case .digestRefused:
      return """
        the store \(store) reports that it received other bytes than were sent: the request will be retried; if this \
        persists, something in between changes them
        """
    }
  }

  private static func words(_ failure: TrustFailure, _ store: String) -> String {
    let key = failure.seen.map { "the key \($0)" } ?? "no readable key"
    let pins = failure.expected.map(\.description).joined(separator: " or ")
    let fault =
      switch failure.reason {
      case .otherKey: "but \(pins) is pinned"
      case .nobodyIsTrusted: "but nothing is trusted"
      case .keyNotProven: "but does not have its private key"
      case .outOfDate(.expired(let moment)):
        "but its certificate expired on \(day(moment)) (renew it, unless this clock is wrong)"
      case .outOfDate(.notYetValid(let moment)):
        "but its certificate is not valid before \(day(moment)) (this clock is wrong, or that of its issuer)"
      case .notFromAuthority(let words): "whose certificate no trusted authority has issued (\(words))"
      case .otherHostName: "but its certificate is for another name"
      case .weak(let words): "which is too weak to trust (\(words))"
      case .unreadableCertificate: "because its certificate cannot be read"
      }
    return """
      \(store) shows \(key), \(fault): nothing was sent. If it is the store nevertheless, pin its key or name its \
      authority; if not, another machine answers in its place
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
