internal import System
internal import Trust

/// What `avahi-browse --resolve --parsable` prints of the robots that Avahi has heard of: a line for each interface and
/// kind of address. Anybody on the network may have a say in it.
package enum AvahiListing {
  /// Lines that are read: whoever causes more is not heard any more.
  private static let mostLines = 1_000

  /// The robots that it tells of, each once, by their names.
  package static func robots(in text: String) -> [AnnouncedRobot] {
    var robots: [Place: (addresses: [[UInt8]], pin: PublicKeyPin?)] = [:]
    for line in text.utf8.split(separator: UInt8(ascii: "\n")).prefix(mostLines) {
      guard let (place, address, pin) = robot(in: Substring(line)) else { continue }
      var known = robots[place] ?? ([], nil)
      if let address, !known.addresses.contains(address) { known.addresses.append(address) }
      known.pin = known.pin ?? pin
      robots[place] = known
    }
    return robots.map { place, known in
      AnnouncedRobot(
        name: place.name, host: place.host, port: place.port, addresses: known.addresses, pin: known.pin)
    }.sorted { ($0.name, $0.host, $0.port) < ($1.name, $1.host, $1.port) }
  }

  private struct Place: Hashable {
    let name: String
    let host: String
    let port: UInt16
  }

  /// `=;INTERFACE;PROTOCOL;NAME;TYPE;DOMAIN;HOST;ADDRESS;PORT;"TEXT" "TEXT"`; what was not resolved begins with `+`.
  private static func robot(in line: Substring) -> (Place, address: [UInt8]?, pin: PublicKeyPin?)? {
    let fields = line.split(separator: ";", maxSplits: 9, omittingEmptySubsequences: false)
    guard fields.count == 10, fields[0] == "=", fields[4] == "_footage._tcp", !fields[6].isEmpty,
      let port = UInt16(fields[8]), port > 0
    else { return nil }
    let address = SocketAddress(literal: String(fields[7]), port: port)?.addressBytes
    let pin = fields[9].split(separator: "\"").lazy.filter { $0.hasPrefix("pin=") }
      .compactMap { PublicKeyPin(String($0.dropFirst(4))) }.first
    return (Place(name: unescaped(fields[3]), host: String(fields[6]), port: port), address, pin)
  }

  /// A byte that is no letter, digit or dash stands as `\DDD`, in decimal, and a dot or a backslash behind one
  /// (RFC 1035 §5.1).
  private static func unescaped(_ label: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = label.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), let next = rest.first else {
        bytes.append(byte)
        continue
      }
      if let code = UInt8(String(Substring(rest.prefix(3)))), rest.count >= 3 {
        bytes.append(code)
        rest = rest.dropFirst(3)
      } else {
        bytes.append(next)
        rest = rest.dropFirst()
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
