package import FootageSystem

extension ListeningSocket {
  /// Binds and listens, with the limit for unsent bytes that loops use for their connections. Port 0 uses any free
  /// port.
  ///
  /// - Parameter unsentLimit: the number of bytes that the kernel may hold unsent for one connection.
  /// - Throws: `NetworkingError.listen`.
  package convenience init(_ address: SocketAddress, unsentLimit: Int) throws(NetworkingError) {
    do throws(Errno) {
      try self.init(address, unsentLimit: unsentLimit, unsentLimitAtFirst: BufferSize.unsentAtFirst)
    } catch { throw .listen(address.description, error) }
  }

  /// Listens at the address: on one socket, or on two for `localhost`.
  ///
  /// - Parameter unsentLimit: the number of bytes that the kernel may hold unsent for one connection.
  /// - Throws: `NetworkingError.listen`.
  package static func listen(at address: ListenAddress, unsentLimit: Int) throws(NetworkingError) -> [ListeningSocket] {
    switch address.place {
    case .address(let address): return [try ListeningSocket(address, unsentLimit: unsentLimit)]
    case .everywhere:
      let all = SocketAddress(addressBytes: Array(repeating: 0, count: 16), port: address.port)
      do throws(NetworkingError) { return [try ListeningSocket(all, unsentLimit: unsentLimit)] } catch {
        guard error.listenFailure == .noSuchAddress else { throw error }
      }
      // The machine has no IPv6.
      let allOfIPv4 = SocketAddress(addressBytes: [0, 0, 0, 0], port: address.port)
      return [try ListeningSocket(allOfIPv4, unsentLimit: unsentLimit)]
    case .localhost:
      let first = try ListeningSocket(
        SocketAddress(addressBytes: [127, 0, 0, 1], port: address.port), unsentLimit: unsentLimit)
      let second = SocketAddress(
        addressBytes: Array(repeating: 0, count: 15) + [1], port: first.address.port)
      do throws(NetworkingError) { return [first, try ListeningSocket(second, unsentLimit: unsentLimit)] } catch {
        // A caller that asked for any port has one already.
        guard error.listenFailure == .noSuchAddress || address.port == 0 else { throw error }
      }
      return [first]
    }
  }

  /// Registers with a loop to wait for connections. Events are edge-triggered, so call `accept` until it returns `none`
  /// before waiting.
  package func register(on loop: EventLoop) throws(NetworkingError) -> ListenerRegistration {
    ListenerRegistration(try loop.register(descriptor), on: loop)
  }
}

/// A registration that waits for connections on a loop. Belongs to the loop's thread.
package final class ListenerRegistration {
  private let registration: PollRegistration
  private let loop: EventLoop

  init(_ registration: PollRegistration, on loop: EventLoop) {
    self.registration = registration
    self.loop = loop
  }

  /// - Returns: false once `stop` was called.
  package func waitForConnection() async -> Bool {
    registration.isReadable = false
    return await registration.wait(toReady: .read, until: .never) == .ready
  }

  package func stop() {
    loop.deregister(registration)
    // If others have closed this file, the loop may now wait for another file with the same number.
    registration.abort()
  }
}
