package import FootageSystem

extension ListeningSocket {
  /// Binds and listens, with as much room for what is unsent as loops give their connections. Port 0 takes any free
  /// one.
  ///
  /// - Parameter unsentLimit: bytes that the kernel may hold unsent for one connection.
  /// - Throws: `NetworkingError.listen`.
  package convenience init(_ address: SocketAddress, unsentLimit: Int) throws(NetworkingError) {
    do throws(Errno) {
      try self.init(address, unsentLimit: unsentLimit, unsentLimitAtFirst: BufferSize.unsentAtFirst)
    } catch { throw .listen(address.description, error) }
  }

  /// Listens wherever the address says: on one socket, or on two for `localhost`.
  ///
  /// - Parameter unsentLimit: bytes that the kernel may hold unsent for one connection.
  /// - Throws: `NetworkingError.listen`.
  package static func listen(at address: ListenAddress, unsentLimit: Int) throws(NetworkingError) -> [ListeningSocket] {
    switch address.place {
    case .address(let address): return [try ListeningSocket(address, unsentLimit: unsentLimit)]
    case .everywhere:
      let all = SocketAddress(addressBytes: Array(repeating: 0, count: 16), port: address.port)
      do throws(NetworkingError) { return [try ListeningSocket(all, unsentLimit: unsentLimit)] } catch {
        guard error.listenFailure == .noSuchAddress else { throw error }
      }
      // A machine without IPv6.
      let allOfIPv4 = SocketAddress(addressBytes: [0, 0, 0, 0], port: address.port)
      return [try ListeningSocket(allOfIPv4, unsentLimit: unsentLimit)]
    case .localhost:
      let first = try ListeningSocket(
        SocketAddress(addressBytes: [127, 0, 0, 1], port: address.port), unsentLimit: unsentLimit)
      let second = SocketAddress(
        addressBytes: Array(repeating: 0, count: 15) + [1], port: first.address.port)
      do throws(NetworkingError) { return [first, try ListeningSocket(second, unsentLimit: unsentLimit)] } catch {
        // Whoever asked for any port has got one already.
        guard error.listenFailure == .noSuchAddress || address.port == 0 else { throw error }
      }
      return [first]
    }
  }

  /// Waits on a loop for connections. Only an edge wakes it: `accept` until it says `none` first.
  package func register(on loop: EventLoop) throws(NetworkingError) -> ListenerRegistration {
    ListenerRegistration(try loop.register(descriptor), on: loop)
  }
}

/// Waits for connections on a loop; belongs to its thread.
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
    // The loop may wait for another file of that number by now, where this one was closed by others.
    registration.abort()
  }
}
