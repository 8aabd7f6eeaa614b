internal import FootageBase
internal import FootageFetching
package import FootageServing
internal import FootageSystem
internal import FootageTLS
package import FootageAPI

/// How a store is spoken with: where it is, by which key, and whom to take for it.
package struct StoreConnection: Sendable {
  package var address: StoreAddress
  package var key: StoreKey
  package var trust: TrustPolicy
  /// The latest time that is known to be past, in seconds since 1970, for a clock that was never set.
  package var earliestNow: Int64

  package init(address: StoreAddress, key: StoreKey, trust: TrustPolicy, earliestNow: Int64 = .min) {
    self.address = address
    self.key = key
    self.trust = trust
    self.earliestNow = earliestNow
  }

  /// Makes a client; nothing is asked of the store yet.
  ///
  /// - Parameters:
  ///   - loop: on which it is spoken with.
  ///   - connections: the most at once.
  ///   - rate: how fast is sent; nil for as fast as it goes.
  ///   - warn: told what is odd about the store's certificate.
  package func client(
    on loop: EventLoop, connections: Int, sendingRate rate: SendingRate? = nil,
    limits storeLimits: ObjectStoreLimits = ObjectStoreLimits(), warn: @escaping @Sendable (String) -> Void
  ) throws(StoreConnectionFailure) -> ObjectStoreClient {
    let server = address.server
    var tls: TLSClientContext?
    if address.isEncrypted {
      do throws(TLSError) { tls = try TLSClientContext.make(trust, earliestNow: earliestNow) } catch {
        throw StoreConnectionFailure(error.description)
      }
    }
    var limits = ClientLimits.standard
    limits.connections = connections
    let resolver: HostResolver
    do throws(SystemError) { resolver = .system(try BlockingPool(threadCount: 1)) } catch {
      throw StoreConnectionFailure(error.description)
    }
    let http = HTTPClient(
      host: server.host, port: server.port, tls: tls, on: loop, resolver: resolver, limits: limits, sendingRate: rate,
      onWarning: { warn("the store \(server): \($0)") })
    return ObjectStoreClient(http, at: address, key: key, limits: storeLimits)
  }
}

/// Why no store can be spoken with from here, in words.
package struct StoreConnectionFailure: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}
