import FootageDigest
import FootageBase
import FootageFetching
import FootageServing
import FootageSystem
import FootageTLS
import LinuxTestSupport
import Testing
import FootageAPI

@testable import FootageStore

/// A store in memory, and a client for it.
final class StoreScene {
  let store: FakeObjectStore
  let client: ObjectStoreClient

  /// - Parameters:
  ///   - identity: the certificate that the store shows over TLS; nil for plain HTTP.
  ///   - policy: the client's trust policy over TLS.
  ///   - clock: the client's clock.
  init(
    _ prefix: String = "fleet/", identity: ServerMaterial? = nil, trusting policy: TrustPolicy? = nil,
    clock: Clock = .system, earliestNow: Int64 = .min, limits: ObjectStoreLimits = ObjectStoreLimits(),
    _ adjust: (inout ClientLimits) -> Void = { _ in }
  ) throws {
    store = try FakeObjectStore(identity: identity)
    client = try Self.client(
      store.address(prefix), trusting: policy, key: Self.key(), clock: clock, earliestNow: earliestNow,
      limits: limits, adjust)
  }

  deinit { store.kill() }

  static func key() throws -> StoreKey {
    try StoreKey(accessKey: FakeObjectStore.accessKey, secret: Secret(FakeObjectStore.secret))
  }

  static func client(
    _ address: String, trusting policy: TrustPolicy? = nil, key: StoreKey, clock: Clock = .system,
    earliestNow: Int64 = .min, limits: ObjectStoreLimits = ObjectStoreLimits(), sendingRate: SendingRate? = nil,
    _ adjust: (inout ClientLimits) -> Void = { _ in }
  ) throws -> ObjectStoreClient {
    let address = try StoreAddress(address)
    let runtime = try ClientRuntime.shared()
    var clientLimits = ClientLimits()
    adjust(&clientLimits)
    let http = HTTPClient(
      host: address.server.host, port: address.server.port,
      tls: try policy.map { try TLSClientContext.make($0, clock: clock, earliestNow: earliestNow) }, on: runtime.loop,
      resolver: runtime.resolver, limits: clientLimits, sendingRate: sendingRate)
    return ObjectStoreClient(http, at: address, key: key, limits: limits, clock: clock)
  }

  /// Returns the reason of the failure, which must occur.
  static func reason(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
  ) async -> ObjectStoreError.Reason? {
    let error = await #expect(throws: ObjectStoreError.self, sourceLocation: sourceLocation) { try await body() }
    return error?.reason
  }
}

/// A repeating pattern of bytes, in pieces that end where the pattern does.
struct PatternBody: HTTPBodySource {
  let length: UInt64
  private let pattern: [UInt8]

  init(length: UInt64, seed: UInt8 = 1) {
    self.length = length
    pattern = (0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) &+ seed }
  }

  /// The content, in the form in which a file is sent.
  var content: ObjectContent { ObjectContent(.source(self), sha256: nil, md5: MD5.hash(all)) }

  func bytes(at offset: UInt64, count: Int) async throws(HTTPBodySourceError) -> [UInt8] {
    piece(at: offset, count: count)
  }

  private func piece(at offset: UInt64, count: Int) -> [UInt8] {
    let start = Int(offset % UInt64(pattern.count))
    return Array(pattern[start...].prefix(min(count, Int(length - offset))))
  }

  var all: [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < Int(length) { bytes += piece(at: UInt64(bytes.count), count: .max) }
    return bytes
  }
}
