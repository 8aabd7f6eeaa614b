/// The line that the log gets for each request.

internal import HTTPSemantics
internal import HTTPTransport
internal import Networking

enum AccessLog {
  /// `192.0.2.7 "GET /recordings/x.mp4" 206 65536 bytes 1.2 ms range "bytes=0-65535"`
  static func line(_ exchange: HTTPExchange) -> String {
    var line = "\(exchange.peer.host) "
    if let request = exchange.request {
      line += "\"\(request.methodText) \(request.target)\""
    } else {
      line += "\"-\""
    }
    line += " \(exchange.status.code) \(exchange.byteCount) bytes \(milliseconds(exchange.duration)) ms"
    if let range = exchange.request?.logText(of: .range) { line += " range \"\(range)\"" }
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
