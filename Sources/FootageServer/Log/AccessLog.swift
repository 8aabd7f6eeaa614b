internal import FootageAPI
internal import FootageHTTP
internal import FootageServing
internal import FootageSystem
internal import FootageTLS

/// The log lines about the requests of a loop, within a budget. Belongs to the loop's thread.
final class AccessLog: ExchangeObserver {
  private let log: Log
  private let report: ConnectionReport
  private var budget: LineBudget
  private let isOn: Bool

  /// - Parameters:
  ///   - isOn: true if successful requests are logged; failures are logged in any case.
  ///   - report: the report of connections, shared by all loops.
  ///   - shares: the number of loops among which a server's lines are divided.
  init(_ log: Log, _ report: ConnectionReport, shares: Int, isOn: Bool) {
    self.isOn = isOn
    self.log = log
    self.report = report
    budget = LineBudget(shares: shares)
  }

  /// True if requests are logged.
  var wantsDurations: Bool { isOn && log.isWanted(.info) }

  /// Logs a request. A request that has waited for a change in vain is not logged, because an open page sends one after
  /// the other.
  func ended(_ exchange: borrowing HTTPExchange) {
    guard isOn else { return }
    let isNews = !exchange.wasHeld || exchange.status != .notModified
    let exchange = copy exchange
    write(isNews ? .info : .debug, about: exchange.peer, Self.line(exchange))
  }

  func connectionFailed(_ error: StreamError, from peer: SocketAddress) {
    switch error {
    case .tls(let failure): report(failure, from: peer)
    case .handshakeTooLong: report(.connection(error.description), from: peer)
    default: write(.debug, about: peer, "\(peer.host): \(error)")
    }
  }

  /// Writes a line about a request or a peer.
  func write(_ level: LogLevel, about peer: SocketAddress?, _ text: @autoclosure () -> String) {
    guard log.isWanted(level) else { return }
    saySuppressed()
    guard budget.admits(peer, in: log.clock.unixSeconds) else { return }
    log(level, text())
  }

  /// Logs the number of lines that were left out, once a new second has begun.
  func saySuppressed() {
    guard let count = budget.takeSuppressed(in: log.clock.unixSeconds) else { return }
    log(.warning, "\(count) more lines about requests were omitted: there were too many in one second")
  }

  /// Returns a line like
  /// `192.0.2.7 "GET /recordings/x.mp4" 206 65536 bytes 1.2 ms range "bytes=0-65535" client "alice"`.
  static func line(_ exchange: HTTPExchange) -> String {
    var line = "\(exchange.peer.host) "
    if let request = exchange.request {
      line += "\"\(request.methodText) \(request.target)\""
    } else {
      line += "\"-\""
    }
    line += " \(exchange.status.code) \(exchange.byteCount) bytes"
    if let duration = exchange.duration { line += " \(milliseconds(duration)) ms" }
    if let range = exchange.request?.logText(of: .range) { line += " range \"\(range)\"" }
    if let client = exchange.identity { line += " client \"\(LogText.escaped(Array(client.name.utf8)[...]))\"" }
    if exchange.isCutOff { line += " cut off" }
    return line
  }

  /// Returns the milliseconds with one decimal.
  private static func milliseconds(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    let tenths = seconds * 10_000 + attoseconds / 100_000_000_000_000
    return "\(tenths / 10).\(tenths % 10)"
  }
}
