/// A relay between a client and a real server, which passes as much as a test demands.
import Foundation

/// A relay that passes the client's bytes as they come. Its steps apply to the server's bytes.
package final class Relay: Sendable {
  package enum Step: Sendable {
    /// The relay passes this number of bytes.
    case pass(Int)
    /// The relay passes everything from now on.
    case passAll
    /// The relay passes chunks of this number of bytes, with a pause before each, from now on.
    case trickle(Int, microseconds: UInt32)
    /// The relay passes what the server sends before the client has answered it: a handshake's first flight. It holds
    /// back what the server sends next until the test releases it.
    case holdSecondFlight(HeldFlight)
    /// The relay passes nothing more until the client closes the connection. The last step.
    case stall
    /// The relay ends the connection in an orderly way, as far as TCP can tell. The last step.
    case end
    /// The relay resets the connection. The last step.
    case reset
  }

  /// The flight that a relay holds back.
  package struct HeldFlight: Sendable {
    fileprivate let released = DispatchSemaphore(value: 0)
    fileprivate let passed = DispatchSemaphore(value: 0)

    package init() {}

    /// Releases the flight, and waits until it has been passed. Blocks.
    package func release() {
      released.signal()
      passed.wait()
    }
  }

  /// The record of whose turn it is to send, which shows if the client has answered the server's first flight.
  private final class Turn: @unchecked Sendable {
    private let lock = NSLock()
    private var hasServerSpoken = false
    private var hasClientAnswered = false

    func serverSpeaks() { lock.withLock { hasServerSpoken = true } }
    func clientSpeaks() { lock.withLock { hasClientAnswered = hasServerSpoken } }
    var isSecond: Bool { lock.withLock { hasClientAnswered } }
  }

  private let server: ScriptedServer

  package var port: Int { Int(server.port) }
  /// The number of connections that were made through the relay.
  package var connectionCount: Int { server.connectionCount }

  /// - Parameters:
  ///   - port: the server's port on the loopback.
  ///   - onBytes: receives the bytes that the servers send, in order for each connection.
  ///   - onSent: receives the bytes that the clients send.
  ///   - steps: returns the steps for a connection by its number, which counts from 0. After the last step the
  ///     connection ends.
  package init(
    to port: Int, onBytes: @escaping @Sendable ([UInt8]) -> Void = { _ in },
    onSent: @escaping @Sendable ([UInt8]) -> Void = { _ in },
    _ steps: @escaping @Sendable (Int) -> [Step]
  ) throws {
    server = try ScriptedServer { connection, number in
      guard let robot = try? BlockingSocket(to: port) else { return }
      let receive = { (limit: Int) -> [UInt8]? in
        guard case .bytes(let bytes) = robot.receive(upTo: limit) else { return nil }
        onBytes(bytes)
        return bytes
      }
      let clientIsGone = DispatchSemaphore(value: 0)
      let turn = Turn()
      Thread.detachNewThread {
        while let bytes = connection.receive() {
          turn.clientSpeaks()
          onSent(bytes)
          robot.send(bytes)
        }
        robot.shutDown()
        clientIsGone.signal()
      }
      Self.play(steps(number), receive, connection, turn, clientIsGone)
      robot.shutDown()
    }
  }

  private static func play(
    _ steps: [Step], _ receive: (Int) -> [UInt8]?, _ client: ScriptedServer.Connection, _ turn: Turn,
    _ clientIsGone: DispatchSemaphore
  ) {
    for step in steps {
      switch step {
      case .pass(var count):
        while count > 0, let bytes = receive(count) {
          guard client.send(bytes) else { return }
          count -= bytes.count
        }
      case .passAll:
        while let bytes = receive(1 << 16), client.send(bytes) {}
      case .trickle(let count, let pause):
        while let bytes = receive(count) {
          usleep(pause)
          guard client.send(bytes) else { return }
        }
      case .holdSecondFlight(let flight):
        // The client answers only after the whole first flight. The server continues only after that answer.
        while let bytes = receive(1 << 16) {
          let isHeld = turn.isSecond
          if isHeld { flight.released.wait() }
          turn.serverSpeaks()
          guard client.send(bytes) else { return }
          guard isHeld else { continue }
          flight.passed.signal()
          break
        }
      case .stall:
        clientIsGone.wait()
        return
      case .end:
        client.finish()
        clientIsGone.wait()
        return
      case .reset:
        // Takes effect once the other thread has released the connection, too.
        return client.reset()
      }
    }
    // The other thread waits for the client, which may wait for this thread.
    client.shutDown()
  }
}
