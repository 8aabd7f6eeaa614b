/// Stands between a client and a real server, and lets as much through as a test says.
import Foundation

/// What the client sends is passed on as it comes; the steps are about what the server sends.
package final class Relay: Sendable {
  package enum Step: Sendable {
    /// So many bytes are passed on.
    case pass(Int)
    /// From now on everything is.
    case passAll
    /// Chunks of so many bytes, with a pause before each, from now on.
    case trickle(Int, microseconds: UInt32)
    /// What the server says before the client has answered it is passed on, a handshake's first flight; what it says
    /// next comes when the test says so.
    case holdSecondFlight(HeldFlight)
    /// Nothing more comes until the client goes. The last step.
    case stall
    /// The connection ends in good order, as far as TCP knows. The last step.
    case end
    /// The last step.
    case reset
  }

  /// What a relay holds back.
  package struct HeldFlight: Sendable {
    fileprivate let released = DispatchSemaphore(value: 0)
    fileprivate let passed = DispatchSemaphore(value: 0)

    package init() {}

    /// Lets it go on, and waits until it has. Blocks.
    package func release() {
      released.signal()
      passed.wait()
    }
  }

  /// Whether the client has answered what came first.
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
  /// How many connections were made through it.
  package var connectionCount: Int { server.connectionCount }

  /// - Parameters:
  ///   - port: the server's, on the loopback.
  ///   - onBytes: is handed what the servers send, in order for each connection.
  ///   - onSent: is handed what the clients send.
  ///   - steps: of a connection; they count from 0. After the last step the connection ends.
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
        // It answers when it has all of the first flight, and not before; the server goes on with its answer alone.
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
        // Takes effect when the other thread has let go of the connection, too.
        return client.reset()
      }
    }
    // The other thread waits for the client, which may wait for us.
    client.shutDown()
  }
}
