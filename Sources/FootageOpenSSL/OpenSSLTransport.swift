internal import FootageCore
internal import HTTPSemantics
internal import HTTPTransport
internal import Networking
internal import Synchronization
internal import System
internal import TLS

/// The transport on Linux: HTTP/1.1 over our own TLS and event loop.
///
/// Its connections end with it.
final class OpenSSLTransport: MediaTransport {
  let client: HTTPClient
  private let proof: Proof
  private let tls: TLSClientContext?
  private let onProof: @Sendable (PublicKeyPin) async -> ProofAnswer

  /// What follows from a key that was proved.
  enum ProofAnswer: Sendable {
    /// Nothing.
    case noted
    /// These are the robot's keys from now on.
    case trusting([PublicKeyPin])
    /// It could not be noted, and is told again.
    case again
  }

  /// The key that the robot has proved, told once for each that it has.
  private final class Proof: Sendable {
    private let state = Mutex<(last: PublicKeyPin?, isTold: Bool)>((nil, true))

    var last: PublicKeyPin? { state.withLock { $0.last } }

    func note(_ pin: PublicKeyPin) {
      state.withLock { state in
        if state.last != pin { state = (pin, false) }
      }
    }

    func takeUntold() -> PublicKeyPin? {
      state.withLock { state in
        defer { state.isTold = true }
        return state.isTold ? nil : state.last
      }
    }

    func tellAgain(_ pin: PublicKeyPin) { state.withLock { if $0.last == pin { $0.isTold = false } } }
  }

  /// The key that the robot has proved last; nil before the first connection.
  var provenPin: PublicKeyPin? { proof.last }

  /// - Parameters:
  ///   - resolver: nil for the system's.
  ///   - onProof: told the key that the robot has proved, before its first answer is, and again when it has another
  ///     one.
  ///   - onWarning: told what is not right with the robot's certificate and was let pass.
  init(
    to address: RobotAddress, trusting policy: TrustPolicy, as identity: Identity?,
    limits: ClientLimits = .standard, resolver: HostResolver? = nil,
    onProof: @escaping @Sendable (PublicKeyPin) async -> ProofAnswer = { _ in .noted },
    onWarning: @escaping @Sendable (TrustWarning) -> Void
  ) throws(RobotError) {
    let tls: TLSClientContext
    let proof = Proof()
    do throws(TLSError) {
      tls = try TLSClientContext.make(policy, identity: identity, onProof: { proof.note($0) })
    } catch {
      throw RobotError(TransportFailure(.tls(error)))
    }
    let runtime: ClientRuntime
    do throws(NetworkingError) { runtime = try ClientRuntime.shared() } catch .system(let error) {
      throw .system(SystemFailure(error))
    } catch { throw .system(SystemFailure(.other, error.description)) }
    client = HTTPClient(
      host: address.host, port: address.port, tls: tls, on: runtime.loop, resolver: resolver ?? runtime.resolver,
      limits: limits, onWarning: onWarning)
    self.tls = tls
    self.proof = proof
    self.onProof = onProof
  }

  init(_ client: HTTPClient) {
    self.client = client
    tls = nil
    proof = Proof()
    onProof = { _ in .noted }
  }

  deinit {
    Task(executorPreference: client.loop) { [client] in await client.close() }
  }

  func open(_ request: MediaRequest) async throws(TransportFailure) -> MediaResponse {
    do throws(TransportFailure) {
      let response = try await answer(to: request)
      await tellProof()
      return response
    } catch {
      // A robot that lets this app not in has proved its key all the same.
      await tellProof()
      throw error
    }
  }

  private func tellProof() async {
    guard let pin = proof.takeUntold() else { return }
    switch await onProof(pin) {
    case .noted: break
    // A key that was replaced, or taken back, opens nothing any more.
    case .trusting(let pins): tls?.trust(.pinned(keys: pins))
    case .again: proof.tellAgain(pin)
    }
  }

  private func answer(to request: MediaRequest) async throws(TransportFailure) -> MediaResponse {
    var tag: EntityTag?
    if let text = request.ifRange {
      tag = EntityTag(text)
      guard tag?.isWeak == false else { throw .final("\(text) is no strong entity tag") }
    }
    do throws(HTTPClientError) {
      var asked = HTTPClientRequest(request.target, range: request.range, ifRange: tag)
      asked.method =
        switch request.method {
        case .get: .get
        case .put: .put
        case .delete: .delete
        }
      asked.isOnNewConnection = request.isOnNewConnection
      asked.connecting = request.connectionTimeout
      let response = try await client.send(asked)
      let head = response.head
      return MediaResponse(
        status: head.status.code, entityTag: head.entityTag?.description,
        contentRange: head.contentRange.map { MediaContentRange(range: $0.range, length: $0.length) },
        contentLength: head.contentLength, contentEncoding: head.contentEncoding,
        retryAfter: head.retryAfterSeconds(now: Clock.system.unixSeconds).map { .seconds($0) }, body: Body(response))
    } catch {
      throw TransportFailure(error)
    }
  }

  func prepare() async { await client.prepare() }

  private struct Body: MediaBody {
    let response: HTTPClientResponse

    init(_ response: HTTPClientResponse) { self.response = response }

    func next() async throws(TransportFailure) -> [UInt8]? {
      do throws(HTTPClientError) { return try await response.next() } catch { throw TransportFailure(error) }
    }
  }
}

extension TransportFailure {
  init(_ error: HTTPClientError) {
    switch error {
    case .cancelled: self = .cancelled
    case .tls(.trust(let failure)): self = .trust(failure)
    case .tls(.identity(let failure)): self = .identity(failure)
    case .tls(.connection(let reason)):
      self = .final("TLS failed: \(reason); is it a robot that answers at this address and port?")
    default: self = error.canPass ? .passing(error.description) : .final(error.description)
    }
  }
}
