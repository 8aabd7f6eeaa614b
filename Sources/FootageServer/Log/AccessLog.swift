/// The lines that the log gets about requests, within a budget.

internal import HTTPSemantics
internal import HTTPTransport
internal import Networking
internal import System

/// Belongs to its loop's thread.
final class AccessLog {
  private let log: Log
  private var budget: LineBudget

  /// - Parameter shares: among how many loops a server's lines are divided.
  init(_ log: Log, shares: Int) {
    self.log = log
    budget = LineBudget(shares: shares)
  }

  /// Whether requests get lines.
  var isWanted: Bool { log.isWanted(.info) }

  /// A wait that came to nothing is no event: a page that is open has one after the other.
  func add(_ exchange: HTTPExchange) {
    let isNews = !exchange.wasHeld || exchange.status != .notModified
    write(isNews ? .info : .debug, about: exchange.peer, Self.line(exchange))
  }

  /// Something about a request, or a peer, that is worth a line of its own.
  func write(_ level: LogLevel, about peer: SocketAddress?, _ text: @autoclosure () -> String) {
    guard log.isWanted(level) else { return }
    saySuppressed()
    guard budget.admits(peer, in: log.clock.unixSeconds) else { return }
    log(level, text())
  }

  /// Says how much was left out, once a new second has begun.
  func saySuppressed() {
    guard let count = budget.takeSuppressed(in: log.clock.unixSeconds) else { return }
    log(.warning, "\(count) more lines about requests were left out: there were too many in a second")
  }

  /// `192.0.2.7 "GET /recordings/x.mp4" 206 65536 bytes 1.2 ms range "bytes=0-65535" client "alice"`
  static func line(_ exchange: HTTPExchange) -> String {
    var line = "\(exchange.peer.host) "
    if let request = exchange.request {
      line += "\"\(request.methodText) \(request.target)\""
    } else {
      line += "\"-\""
    }
    line += " \(exchange.status.code) \(exchange.byteCount) bytes \(milliseconds(exchange.duration)) ms"
    if let range = exchange.request?.logText(of: .range) { line += " range \"\(range)\"" }
    if let client = exchange.client { line += " client \"\(LogText.escaped(Array(client.utf8)[...]))\"" }
    if exchange.isCutOff { line += " cut off" }
    return line
  }

  /// With one decimal.
  private static func milliseconds(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    let tenths = seconds * 10_000 + attoseconds / 100_000_000_000_000
    return "\(tenths / 10).\(tenths % 10)"
  }
}
