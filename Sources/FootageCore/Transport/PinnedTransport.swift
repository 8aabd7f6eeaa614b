internal import FootageFetching
internal import FootageHTTP
internal import Synchronization
internal import FootageSystem

/// A transport to a robot over Footage's own HTTP/1.1 client, on any kind of connection. Its connections are closed
/// when it is released.
final class PinnedTransport: MediaTransport {
  let client: HTTPClient
  private let proof: Proof
  private let trust: @Sendable ([PublicKeyPin]) -> Void
  private let onProof: @Sendable (PublicKeyPin) async -> ProofAnswer

  /// The result of recording a proven key.
  enum ProofAnswer: Sendable {
    /// The key was recorded, and the trusted keys stay the same.
    case noted
    /// The key was recorded, and only these keys are trusted from now on.
    case trusting([PublicKeyPin])
    /// The key could not be recorded, so it must be reported again.
    case again
  }

  /// The key that the robot proved last. Each new key is reported once.
  final class Proof: Sendable {
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
  ///   - proof: records the key that the robot has proved on the client's connections.
  ///   - onProof: called with the key that the robot has proved, before the first answer is returned, and again when
  ///     the robot has a different key.
  ///   - trust: makes the client's connections trust these keys from now on, and no others.
  init(
    _ client: HTTPClient, proof: Proof = Proof(),
    onProof: @escaping @Sendable (PublicKeyPin) async -> ProofAnswer = { _ in .noted },
    trust: @escaping @Sendable ([PublicKeyPin]) -> Void = { _ in }
  ) {
    self.client = client
    self.proof = proof
    self.onProof = onProof
    self.trust = trust
  }

  deinit {
    Task(executorPreference: client.executor) { [client] in await client.close() }
  }

  func open(_ request: MediaRequest) async throws(TransportFailure) -> MediaResponse {
    do throws(TransportFailure) {
      let response = try await answer(to: request)
      await tellProof()
      return response
    } catch {
      // A robot that does not admit this app has proved its key all the same.
      await tellProof()
      throw error
    }
  }

  private func tellProof() async {
    guard let pin = proof.takeUntold() else { return }
    switch await onProof(pin) {
    case .noted: break
    // A key that was replaced or withdrawn opens no connection any more.
    case .trusting(let pins): trust(pins)
    case .again: proof.tellAgain(pin)
    }
  }

  private func answer(to request: MediaRequest) async throws(TransportFailure) -> MediaResponse {
    var tag: EntityTag?
    if let text = request.ifRange {
      tag = EntityTag(text)
      guard tag?.isWeak == false else { throw .final("\(text) is not a strong ETag") }
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
      var answer = MediaResponse(
        status: head.status.code, entityTag: head.entityTag?.description,
        contentRange: head.contentRange.map { MediaContentRange(range: $0.range, length: $0.length) },
        contentLength: head.contentLength, contentEncoding: head.contentEncoding,
        retryAfter: head.retryAfterSeconds(now: Clock.system.unixSeconds).map { .seconds($0) }, body: Body(response))
      answer.connectedAfter = response.connectedAfter
      return answer
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
    case .unreachable(_, .localNetworkDenied): self = .localNetworkDenied
    case .tls(.connection(let reason)):
      self = .final("TLS failed: \(reason); check that a robot answers at this address and port")
    default: self = error.canPass ? .passing(error.description) : .final(error.description)
    }
  }
}
