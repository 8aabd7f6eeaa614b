public import FoundationNetworking
internal import Synchronization

// What Foundation has on Apple's platforms and not on Linux: trust and identities in challenges and credentials.

public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"
public let NSURLAuthenticationMethodClientCertificate = "NSURLAuthenticationMethodClientCertificate"

private final class Parts: Sendable {
  let trusts = Mutex<[ObjectIdentifier: SecTrust]>([:])
  let identities = Mutex<[ObjectIdentifier: SecIdentity]>([:])

  static let all = Parts()
}

extension URLProtectionSpace {
  /// Set by tests alone. The space has to live as long.
  public var serverTrust: SecTrust? {
    get { Parts.all.trusts.withLock { $0[ObjectIdentifier(self)] } }
    set { Parts.all.trusts.withLock { $0[ObjectIdentifier(self)] = newValue } }
  }
}

extension URLCredential {
  public convenience init(trust: SecTrust) {
    self.init(user: "trust", password: "", persistence: .none)
    Parts.all.trusts.withLock { $0[ObjectIdentifier(self)] = trust }
  }

  public convenience init(identity: SecIdentity, certificates: [Any]?, persistence: URLCredential.Persistence) {
    self.init(user: "identity", password: "", persistence: persistence)
    Parts.all.identities.withLock { $0[ObjectIdentifier(self)] = identity }
  }

  public var identity: SecIdentity? { Parts.all.identities.withLock { $0[ObjectIdentifier(self)] } }
}
