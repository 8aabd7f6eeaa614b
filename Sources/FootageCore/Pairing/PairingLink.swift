internal import FootageBase

/// The link that a robot's console shows for an app to pair with it, as a QR code or as text:
/// `footage:pair?name=…&at=HOST:PORT&at=…&pin=sha256/…&next=sha256/…`.
///
/// A person who reads it from the console has thereby compared the pin, so the app does not ask for that. It contains
/// no secret. A link from elsewhere, such as a sticker or a message, is only as trustworthy as its source.
///
/// All values are percent-encoded (RFC 3986 §2.1) except for `/` and `:`, which a query may contain as they are. So the
/// `+` and `=` of base64 become `%2B` and `%3D`, and are not changed by programs that read them as a blank or a
/// separator. Unknown parameters are ignored. A known one, other than `at`, may appear only once.
public struct PairingLink: Hashable, Sendable, CustomStringConvertible {
  /// The name by which people know the robot.
  public let name: String
  /// The addresses where it may be, the best first; at least one, and no duplicates.
  public let addresses: [RobotAddress]
  /// The pin of its present key.
  public let pin: PublicKeyPin
  /// The pin of its next key; nil if none was prepared.
  public let next: PublicKeyPin?

  /// The largest number of addresses.
  public static let mostAddresses = 8
  /// The largest size of the link, in bytes: more than any console shows, and less than a QR code can hold.
  static let longest = 2_048
  /// The largest size of the name, in bytes of UTF-8.
  static let longestName = 128
  private static let scheme = Array("footage".utf8)
  private static let path = Array(":pair?".utf8)

  /// - Parameters:
  ///   - name: 1 to 128 bytes of UTF-8, on one line.
  ///   - addresses: the best first; 1 to 8, without duplicates.
  ///   - pin: the pin of the present key.
  ///   - next: the pin of the next key; nil for none.
  /// - Throws: `PairingLinkError`: `.name`, `.addressCount`, `.doubled`, `.tooLong`.
  public init(
    name: String, addresses: [RobotAddress], pin: PublicKeyPin, next: PublicKeyPin? = nil
  ) throws(PairingLinkError) {
    guard PairingStore.Pairing.isName(name) else { throw .name(name) }
    guard (1...Self.mostAddresses).contains(addresses.count) else { throw .addressCount(addresses.count) }
    guard Set(addresses).count == addresses.count else { throw .doubled("at") }
    guard next != pin else { throw .doubled("pin") }
    self.name = name
    self.addresses = addresses
    self.pin = pin
    self.next = next
    let byteCount = description.utf8.count
    guard byteCount <= Self.longest else { throw .tooLong(byteCount: byteCount) }
  }

  /// Reads a link; blanks and newlines around it are ignored.
  ///
  /// - Parameter text: as it was scanned, or typed.
  /// - Throws: `PairingLinkError`.
  public init(_ text: String) throws(PairingLinkError) {
    guard text.utf8.count <= Self.longest else { throw .tooLong(byteCount: text.utf8.count) }
    let isBlank: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
    let bytes = Array(text.utf8.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    // The case of a scheme does not matter (RFC 3986 §3.1).
    let scheme = bytes.prefix(Self.scheme.count).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    let rest = bytes.dropFirst(scheme.count)
    guard scheme == Self.scheme, rest.starts(with: Self.path) else { throw .noLink }
    var parameters = Parameters()
    for pair in rest.dropFirst(Self.path.count).split(separator: UInt8(ascii: "&")) { try parameters.take(pair) }
    guard let name = parameters.values["name"] else { throw .missing("name") }
    guard let pin = parameters.values["pin"] else { throw .missing("pin") }
    guard !parameters.addresses.isEmpty else { throw .missing("at") }
    try self.init(
      name: name, addresses: parameters.addresses, pin: try Self.pin("pin", pin),
      next: try parameters.values["next"].map { (text) throws(PairingLinkError) in try Self.pin("next", text) })
  }

  /// The link as a console shows it.
  public var description: String {
    var parameters = ["name=\(PercentEncoding.encodeQueryValue(name))"]
    parameters += addresses.map { "at=\(PercentEncoding.encodeQueryValue($0.description))" }
    parameters.append("pin=\(PercentEncoding.encodeQueryValue(pin.description))")
    if let next { parameters.append("next=\(PercentEncoding.encodeQueryValue(next.description))") }
    return "footage:pair?\(parameters.joined(separator: "&"))"
  }

  /// Returns a link to the same robot by a different name, for a person who calls it something else, or has another
  /// robot of this name.
  ///
  /// - Throws: `PairingLinkError.name`.
  public func named(_ name: String) throws(PairingLinkError) -> PairingLink {
    try PairingLink(name: name, addresses: addresses, pin: pin, next: next)
  }

  /// The pins of the robot, with the pin of its present key first.
  package var pins: [PublicKeyPin] { [pin] + (next.map { [$0] } ?? []) }

  private static func pin(_ parameter: String, _ text: String) throws(PairingLinkError) -> PublicKeyPin {
    // Blanks around the pin are not accepted here, unlike in files.
    guard let pin = PublicKeyPin(text), pin.description == text else { throw .pin(parameter, text) }
    return pin
  }

  /// The parameters after the `?`.
  private struct Parameters {
    private(set) var values: [String: String] = [:]
    private(set) var addresses: [RobotAddress] = []

    /// - Parameter pair: `NAME=VALUE`.
    mutating func take(_ pair: ArraySlice<UInt8>) throws(PairingLinkError) {
      let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(decoding: parts.first ?? [], as: UTF8.self)
      guard ["name", "at", "pin", "next"].contains(name) else { return }
      guard parts.count == 2, parts[1].allSatisfy({ (0x21...0x7E).contains($0) }),
        let bytes = PercentEncoding.decode(parts[1]), let value = String(validating: bytes, as: UTF8.self)
      else { throw .encoding(name) }
      if name == "at" {
        guard let address = RobotAddress(value) else { throw .address(value) }
        addresses.append(address)
      } else {
        guard values.updateValue(value, forKey: name) == nil else { throw .doubled(name) }
      }
    }
  }
}

/// The reason why a text is not a pairing link.
public enum PairingLinkError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The text does not begin with `footage:pair?`: a different code was scanned.
  case noLink
  /// The link has more bytes than a pairing link may have.
  case tooLong(byteCount: Int)
  /// The value of this parameter is not percent-encoded UTF-8.
  case encoding(String)
  /// This parameter, an address or a pin appears more than once.
  case doubled(String)
  /// This parameter is missing.
  case missing(String)
  /// This is not a valid name for a robot.
  case name(String)
  /// This is not a valid `HOST:PORT`.
  case address(String)
  /// There are too many addresses, or none.
  case addressCount(Int)
  /// The value of this parameter is not a pin.
  case pin(String, String)

  public var description: String {
    switch self {
    case .noLink:
      "this is not a pairing link, which begins with footage:pair? — run footage pair --qr on the robot to show one"
    case .tooLong(let count):
      "the pairing link has \(count) bytes, but may have at most \(PairingLink.longest): it was not made by footage pair --qr"
    case .encoding(let name):
      "the pairing link's \(name)= is not percent-encoded UTF-8: it was changed in transit, so scan the code again"
    case .doubled(let name):
      "the pairing link contains \(name)= twice: it was changed in transit, so scan the code again"
    case .missing(let name):
      "the pairing link has no \(name)=: it was cut off or changed in transit, so scan the code again"
    case .name(let name):
      "'\(name)' is not a valid robot name: use 1 to \(PairingLink.longestName) bytes on one line"
    case .address(let text): "the pairing link's at=\(text) is not a valid HOST:PORT: scan the code again"
    case .addressCount(let count):
      "the pairing link has \(count) addresses, but must have 1 to \(PairingLink.mostAddresses)"
    case .pin(let name, let text):
      """
      the pairing link's \(name)=\(text) is not a valid pin (sha256/ and 44 characters of base64): it was changed in \
      transit, so scan the code again
      """
    }
  }
}
