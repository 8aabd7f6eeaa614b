internal import FootageAnswers
internal import FootageAPI
internal import FootageBase
internal import FootageHTTP

/// The answer to a request without a client certificate, where one is required. Browsers get a page, and other clients
/// JSON.
enum CertificateRequired {
  /// - Parameter request: nil if the request could not be read.
  static func document(for request: RequestHead?) -> HTTPDocument {
    guard let accept = request?.combinedValue(of: .accept), prefersHTML(accept) else {
      return problem.document
    }
    return page
  }

  private static let problem = HTTPProblem(
    .forbidden, .certificateRequired,
    """
    A client certificate is required: have one issued where the client authority is kept \
    (scripts/gen-certs.sh --client NAME), and present it.
    """)

  private static let page = HTTPDocument(
    .forbidden, mediaType: "text/html; charset=utf-8",
    bytes: Array(
      """
      <!doctype html>
      <html lang="en">
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width">
      <title>Certificate required</title>
      <h1>This robot requires a certificate</h1>
      <p>Ask the person who looks after the robot for your own certificate (a .p12 file and its passphrase). Install \
      it on this device or in this browser, and open this page again.</p>

      """.utf8),
    fields: [
      ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
      ("Cache-Control", "no-store"),
    ])

  /// Returns true if an `Accept` field prefers HTML, as those of browsers do: it names `text/html`, with a weight that
  /// is not lower than that of JSON (RFC 9110 §12.5.1).
  static func prefersHTML(_ accept: ArraySlice<UInt8>) -> Bool {
    var html = 0
    var json = 0
    for member in accept.split(separator: UInt8(ascii: ",")) {
      let parts = member.filter { $0 > 0x20 }.split(separator: UInt8(ascii: ";"))
      guard let type = parts.first else { continue }
      let weight = parts.dropFirst().first { $0.starts(with: "q=".utf8) }.map { thousandths($0.dropFirst(2)) } ?? 1_000
      switch String(decoding: type, as: UTF8.self).lowercased() {
      case "text/html": html = max(html, weight)
      case "application/problem+json", "application/json": json = max(json, weight)
      default: break
      }
    }
    return html > 0 && html >= json
  }

  /// Returns a weight (RFC 9110 §12.4.2) in thousandths; 0 if it is invalid. The weight is a number from 0 to 1 with up
  /// to three decimals.
  private static func thousandths(_ weight: ArraySlice<UInt8>) -> Int {
    let parts = weight.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = parts.first.flatMap({ Int(String(decoding: $0, as: UTF8.self)) }), (0...1).contains(whole) else {
      return 0
    }
    let decimals = parts.count > 1 ? Array(parts[1].prefix(3)) : []
    let digits = decimals + Array(repeating: UInt8(ascii: "0"), count: 3 - decimals.count)
    return min(1_000, whole * 1_000 + (Int(String(decoding: digits, as: UTF8.self)) ?? 0))
  }
}
