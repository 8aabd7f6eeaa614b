internal import FootageBase
internal import FootageFetching
package import FootageServing
internal import FootageSystem
internal import FootageTLS
package import FootageAPI

/// The parameters of a connection to a store: its address, the key, and the policy by which its server is trusted.
package struct StoreConnection: Sendable {
  package var address: StoreAddress
  package var key: StoreKey
  package var trust: TrustPolicy
  /// The earliest possible present, in seconds since 1970: the time when the program was built. If the clock shows an
  /// earlier time, certificates are checked as of this time.
  package var earliestNow: Int64

  package init(address: StoreAddress, key: StoreKey, trust: TrustPolicy, earliestNow: Int64 = .min) {
    self.address = address
    self.key = key
    self.trust = trust
    self.earliestNow = earliestNow
  }

  /// Creates a client. Sends nothing to the store yet.
  ///
  /// - Parameters:
  ///   - loop: the loop of its connections.
  ///   - connections: the largest number of connections at once.
  ///   - rate: the sending rate; nil for no limit.
  ///   - warn: called with each fault of the store's certificate that was tolerated.
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

/// The reason why this machine cannot connect to a store, in words.
package struct StoreConnectionFailure: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}
