internal import FootageFetching
internal import FootageServing
internal import FootageSystem
internal import FootageTLS

/// The app's own private key and certificate, opened.
typealias PlatformIdentity = Identity

extension PinnedTransport {
  /// Creates a transport over Footage's own event loop and OpenSSL. Linux does not report which networks are metered,
  /// so a network policy has no effect.
  ///
  /// - Parameters:
  ///   - resolver: nil for the system's.
  ///   - onProof: called with the key that the robot has proved, before the first answer is returned, and again when
  ///     the robot has a different key.
  ///   - onWarning: called with each defect of the robot's certificate that was tolerated.
  convenience init(
    to address: RobotAddress, trusting policy: TrustPolicy, as identity: PlatformIdentity?,
    over network: NetworkPolicy = NetworkPolicy(), limits: ClientLimits = .standard, resolver: HostResolver? = nil,
    onProof: @escaping @Sendable (PublicKeyPin) async -> ProofAnswer = { _ in .noted },
    onWarning: @escaping @Sendable (TrustWarning) -> Void
  ) throws(RobotError) {
    let tls: TLSClientContext
    let proof = Proof()
    do throws(TLSError) {
      tls = try TLSClientContext.make(policy, identity: identity, onProof: { proof.note($0) })
    } catch .configuration(let reason) {
      // No peer was contacted yet: the problem is on this machine.
      throw .system(
        SystemFailure(.other, "OpenSSL cannot be used: \(reason); check its configuration (OPENSSL_CONF)"))
    } catch {
      throw RobotError(TransportFailure(.tls(TLSFailure(error))))
    }
    let runtime: ClientRuntime
    do throws(NetworkingError) { runtime = try ClientRuntime.shared() } catch .system(let error) {
      throw .system(SystemFailure(error))
    } catch { throw .system(SystemFailure(.other, error.description)) }
    let client = HTTPClient(
      host: address.host, port: address.port, tls: tls, on: runtime.loop, resolver: resolver ?? runtime.resolver,
      limits: limits, onWarning: onWarning)
    self.init(client, proof: proof, onProof: onProof) { tls.trust(.pinned(keys: $0)) }
  }

  /// Opens an identity. Blocks while the key is derived, which takes as long as the creator of the identity chose.
  static func open(_ source: IdentitySource) throws(IdentityFailure) -> PlatformIdentity {
    try Identity.make(source, now: Clock.system.unixSeconds)
  }
}
