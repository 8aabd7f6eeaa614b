import Foundation

/// A server that does what a test says, byte by byte: one that lies, stalls, drips, or goes away.
///
/// Plain TCP on the loopback; each connection has a thread of its own.
package final class ScriptedServer: Sendable {
  /// One connection, for the thread that plays it.
  package final class Connection: @unchecked Sendable {
    package let socket: BlockingSocket
    private var inbox: [UInt8] = []

    fileprivate init(_ socket: BlockingSocket) { self.socket = socket }

    /// The next request's head; nil at the connection's end.
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

    /// Stops where the peer is gone.
    ///
    /// - Returns: whether it is still there.
    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool { socket.send(bytes) }

    /// Waits for bytes; nil at the connection's end.
    package func receive() -> [UInt8]? {
      guard case .bytes(let bytes) = socket.receive() else { return nil }
      return bytes
    }

    /// Waits until the peer has ended the connection; false where something else came.
    package func waitForEnd() -> Bool { receive() == nil }

    /// Ends it in good order.
    package func finish() { socket.finish() }

    /// Ends it for both sides, so that nobody waits for it any more.
    package func shutDown() { socket.shutDown() }

    /// Resets it.
    package func reset() { socket.reset() }
  }

  package let port: UInt16
  private let listener: BlockingSocket
  private let accepted = EventLog<Void>()
  /// Who is being served, and who accepts.
  private let work = DispatchGroup()

  /// How many connections were made.
  package var connectionCount: Int { accepted.all.count }

  /// - Parameter play: plays one connection, which closes when it returns; the number counts from 0.
  package init(_ play: @escaping @Sendable (Connection, Int) -> Void) throws {
    listener = try BlockingSocket(listeningOn: HeldPort.next())
    port = listener.port
    work.enter()
    // Lives until it is stopped, or the tests end: a test need not hold it.
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

  /// New connections are refused from now on.
  package func stop() { listener.shutDown() }

  /// The same, and waits for the ends of those that are there. Blocks.
  package func stopAndWait() {
    stop()
    work.wait()
  }
}
