internal import FootageBase

/// Metrics in the text format of Prometheus, version 0.0.4.
struct MetricsText {
  static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

  enum Kind: String {
    case counter, gauge, histogram
  }

  private(set) var text = ""

  /// Begins a family. The following samples belong to it, up to the next family.
  mutating func family(_ name: StaticString, _ kind: Kind, _ help: StaticString) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
  }

  /// Writes a sample.
  ///
  /// - Parameter labels: names and values. The values may contain any characters.
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

  /// Writes a family with one sample.
  mutating func single(_ name: StaticString, _ kind: Kind, _ help: StaticString, _ value: Double?) {
    family(name, kind, help)
    if let value { sample(name.description, [], value) }
  }

  /// Returns the number as text. Whole numbers have no fraction, because people read byte counts as well.
  static func number(_ value: Double) -> String {
    guard value.isFinite else { return value.isNaN ? "NaN" : value < 0 ? "-Inf" : "+Inf" }
    guard value.magnitude < 9e15, let whole = Int64(exactly: value) else { return "\(value)" }
    return "\(whole)"
  }

  /// Escapes backslash, quote and line feed. A camera's name is the name of its folder, and may contain anything.
  static func escaped(_ value: String) -> String {
    var escaped: [UInt8] = []
    // Two cameras whose names differ only in a byte that is not valid UTF-8 are two series.
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
