import Formats
import HTTPFetching
import HTTPTransport
import Networking
import System
import TLS
import TestSupport
import Testing
import Trust

@testable import ObjectStore

/// A store in memory, and a client of it.
final class StoreScene {
  let store: FakeObjectStore
  let client: ObjectStoreClient

  /// - Parameters:
  ///   - identity: what the store shows over TLS; nil for plain HTTP.
  ///   - policy: whom the client trusts, over TLS.
  ///   - clock: of the client.
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

  /// The reason of the failure that has to come.
  static func reason(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
  ) async -> ObjectStoreError.Reason? {
    let error = await #expect(throws: ObjectStoreError.self, sourceLocation: sourceLocation) { try await body() }
    return error?.reason
  }
}

/// Bytes that are made as they are read.
struct PatternBody: HTTPBodySource {
  let length: UInt64
  var seed: UInt8 = 1

  func bytes(at offset: UInt64, count: Int) async throws(HTTPBodySourceError) -> [UInt8] {
    (0..<UInt64(min(count, 50_000, Int(length - offset)))).map { Self.byte(offset + $0, seed) }
  }

  static func byte(_ offset: UInt64, _ seed: UInt8) -> UInt8 {
    UInt8(truncatingIfNeeded: offset &* 31 &+ offset >> 8) &+ seed
  }

  var all: [UInt8] { (0..<length).map { Self.byte($0, seed) } }
}
