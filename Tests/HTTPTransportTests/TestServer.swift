import Foundation
import Networking
import System
import TLS
import Testing

@testable import HTTPTransport

/// How a test's client reaches the server: the tests' bodies are the same for all.
enum Transport: String, CaseIterable, CustomTestStringConvertible, Sendable {
  case plain
  case tls12
  case tls13

  var testDescription: String { rawValue }
}

/// A server on a free port of the loopback, ended with the test.
final class TestServer {
  let server: HTTPServer<TestHandler>
  let loops: [EventLoop]
  let log: ExchangeLog
  let events = EventLog()
  let transport: Transport
  /// What the server goes by, where the test moves it.
  let time: MovableClock?

  init(
    _ transport: Transport, loops loopCount: Int = 1, logs: Bool = true, time: MovableClock? = nil,
    _ adjust: (inout TransportLimits) -> Void = { _ in }
  ) throws {
    log = ExchangeLog(isWanted: logs)
    var limits = TransportLimits()
    adjust(&limits)
    self.transport = transport
    self.time = time
    loops = try (0..<loopCount).map { _ in try EventLoop(clock: time?.clock ?? .system) }
    let listeners = try TCPListener.listen(at: ListenAddress("127.0.0.1:0"), unsentLimit: limits.unsentBytes)
    let tls = transport == .plain ? nil : try TestIdentity.shared.context()
    server = HTTPServer(
      listening: listeners, loops: loops, tls: tls, limits: limits, log: { [events] in events.append($0) }
    ) {
      [log] _ in TestHandler(log)
    }
    for loop in loops { try loop.start() }
    server.start()
  }

  deinit {
    server.abort()
    for loop in loops { loop.stop() }
  }

  func connect(receiveBuffer: Int? = nil) throws -> TestClient {
    try TestClient(port: server.address.port, transport, receiveBuffer: receiveBuffer)
  }

  /// Lets the loops deal with what has come to them.
  func turn() async {
    for loop in loops { await loop.turn() }
  }

  /// Lets time pass, and the loops deal with that.
  func pass(_ duration: Duration) async {
    time?.advance(by: duration)
    await turn()
  }

  /// Lets time pass, a second after the other, until a condition holds.
  func pass(until condition: () -> Bool, sourceLocation: SourceLocation = #_sourceLocation) async {
    for _ in 0..<600 {
      if condition() { return }
      await pass(.seconds(1))
    }
    Issue.record("it never came true", sourceLocation: sourceLocation)
  }

  /// Waits until a condition holds that other threads bring about.
  func eventually(_ condition: () -> Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    let deadline = ContinuousClock.now + .seconds(20)
    while !condition() {
      guard ContinuousClock.now < deadline else {
        Issue.record("it never came true", sourceLocation: sourceLocation)
        return
      }
      usleep(2000)
    }
  }
}

extension EventLoop {
  /// Returns when it has dealt with what had come to it before.
  func turn() async {
    // What is found at a look at the sockets may take several jobs; all of them run before the next look.
    for _ in 0..<2 { await Task(executorPreference: self) {}.value }
  }
}

final class EventLog: Sendable {
  private let lines = NSLock()
  nonisolated(unsafe) private var stored: [HTTPServerEvent] = []

  var all: [HTTPServerEvent] { lines.withLock { stored } }
  func append(_ event: HTTPServerEvent) { lines.withLock { stored.append(event) } }
}

/// A self-signed certificate, made once.
struct TestIdentity {
  let certificate: [UInt8]
  let key: [UInt8]

  static let shared: TestIdentity = {
    do { return try TestIdentity() } catch { preconditionFailure("openssl made no certificate: \(error)") }
  }()

  init() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let openssl = Process()
    openssl.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
    openssl.currentDirectoryURL = folder
    openssl.arguments =
      "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout k.pem -out c.pem -days 30 -subj /CN=localhost"
      .split(separator: " ").map(String.init)
    openssl.standardError = FileHandle.nullDevice
    try openssl.run()
    openssl.waitUntilExit()
    certificate = Array(try Data(contentsOf: folder.appendingPathComponent("c.pem")))
    key = Array(try Data(contentsOf: folder.appendingPathComponent("k.pem")))
  }

  func context() throws -> TLSServerContext {
    try TLSServerContext.make(TLSServerConfiguration(certificatePEM: certificate, privateKeyPEM: key))
  }
}
