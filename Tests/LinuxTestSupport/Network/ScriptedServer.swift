import Foundation

/// A server that does what a test demands, byte by byte: it lies, stalls, drips or disappears.
///
/// It speaks plain TCP on the loopback. Each connection has a thread of its own.
package final class ScriptedServer: Sendable {
  /// One connection, for the thread that serves it.
  package final class Connection: @unchecked Sendable {
    package let socket: BlockingSocket
    private var inbox: [UInt8] = []

    fileprivate init(_ socket: BlockingSocket) { self.socket = socket }

    /// Waits for the next request's head; returns nil at the end of the connection.
    package func readHead() -> String? {
      let blank = Array("\r\n\r\n".utf8)
      while true {
        if let end = inbox.indices.first(where: { inbox[$0...].starts(with: blank) }) {
          defer { inbox.removeFirst(end + 4) }
          return String(decoding: inbox[..<(end + 4)], as: UTF8.self)
        }
        guard let bytes = receive() else { return nil }
        inbox += bytes
      }
    }

    package func send(_ text: String) { send(Array(text.utf8)) }

    /// Sends bytes, and stops if the peer is gone.
    ///
    /// - Returns: true if the peer is still there.
    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool { socket.send(bytes) }

    /// Waits for bytes; returns nil at the end of the connection.
    package func receive() -> [UInt8]? {
      guard case .bytes(let bytes) = socket.receive() else { return nil }
      return bytes
    }

    /// Waits until the peer has ended the connection; returns false if something else arrived.
    package func waitForEnd() -> Bool { receive() == nil }

    /// Ends this side in an orderly way.
    package func finish() { socket.finish() }

    /// Ends the connection in both directions, so that no thread waits for it any longer.
    package func shutDown() { socket.shutDown() }

    /// Makes the connection reset.
    package func reset() { socket.reset() }
  }

  package let port: UInt16
  private let listener: BlockingSocket
  private let accepted = EventLog<Void>()
  /// The group of the threads that serve connections and of the one that accepts them.
  private let work = DispatchGroup()

  /// The number of connections that were made.
  package var connectionCount: Int { accepted.all.count }

  /// - Parameter play: serves one connection, which closes when this returns. Its number counts from 0.
  package init(_ play: @escaping @Sendable (Connection, Int) -> Void) throws {
    listener = try BlockingSocket(listeningOn: HeldPort.next())
    port = listener.port
    work.enter()
    // The thread lives until the server is stopped or the tests end, so a test need not hold the server.
    Thread.detachNewThread { [listener, accepted, work] in
      var count = 0
      while let socket = listener.accept() {
        let number = count
        count += 1
        accepted.append(())
        work.enter()
        Thread.detachNewThread {
          play(Connection(socket), number)
          work.leave()
        }
      }
      work.leave()
    }
  }

  /// Refuses new connections from now on.
  package func stop() { listener.shutDown() }

  /// Refuses new connections, and waits for the existing ones to end. Blocks.
  package func stopAndWait() {
    stop()
    work.wait()
  }
}
