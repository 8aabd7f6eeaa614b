internal import FootageBase

/// Writes metrics as Prometheus reads them: its text format, version 0.0.4.
struct MetricsText {
  static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

  enum Kind: String {
    case counter, gauge, histogram
  }

  private(set) var text = ""

  /// Begins a family: what follows is of this name, up to the next one.
  mutating func family(_ name: StaticString, _ kind: Kind, _ help: StaticString) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
  }

  /// A sample.
  ///
  /// - Parameter labels: names and values; the values may hold anything.
  mutating func sample(_ name: String, _ labels: [(StaticString, String)] = [], _ value: Double) {
    text += name
    if !labels.isEmpty {
      text += "{\(labels.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ","))}"
    }
    text += " \(Self.number(value))\n"
  }

  mutating func sample(_ name: String, _ labels: [(StaticString, String)] = [], _ value: UInt64) {
    sample(name, labels, Double(value))
  }

  /// A family of one sample.
  mutating func single(_ name: StaticString, _ kind: Kind, _ help: StaticString, _ value: Double?) {
    family(name, kind, help)
    if let value { sample(name.description, [], value) }
  }

  /// Whole numbers without a fraction: a count of bytes is read by people, too.
  static func number(_ value: Double) -> String {
    guard value.isFinite else { return value.isNaN ? "NaN" : value < 0 ? "-Inf" : "+Inf" }
    guard value.magnitude < 9e15, let whole = Int64(exactly: value) else { return "\(value)" }
    return "\(whole)"
  }

  /// Backslash, quote and line feed; a camera's name is whatever its folder is called.
  static func escaped(_ value: String) -> String {
    var escaped: [UInt8] = []
    // Two cameras whose names differ in a byte that is no part of UTF-8 are two series.
    for byte in TerminalControl.escaped(bytesOf: value).utf8 {
      switch byte {
      case UInt8(ascii: "\\"): escaped += [byte, byte]
      case UInt8(ascii: "\""): escaped += [UInt8(ascii: "\\"), byte]
      case 0x0A: escaped += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
      default: escaped.append(byte)
      }
    }
    return String(decoding: escaped, as: UTF8.self)
  }
}
