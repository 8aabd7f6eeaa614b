internal import FootageDigest
internal import FootageBase

/// The name by which the cache knows a robot: the robot's key, which stays the same at every address.
package enum CacheName {
  /// Returns all names that a robot ever had, in the order of the pins. The cache stores new data under the first name.
  package static func all(_ pins: [TrustPin], _ address: RobotAddress) -> [String] { pins.map { of($0, address) } }

  /// - Returns: a name that no other robot has. If the pin is an authority's, which vouches for many robots, the name
  ///   includes the address. An app that also knows such a robot's key stores its recordings under that key
  ///   (`earlierPins`), and finds them at every address.
  static func of(_ pin: TrustPin, _ address: RobotAddress) -> String {
    switch pin {
    case .publicKey(let pin): pin.description
    case .certificate(let certificate):
      "certificate \(Hexadecimal.encode(certificate.digest ?? SHA256.hash(certificate.der ?? [])))"
    case .authority(let authority): "\(address) by \(Hexadecimal.encode(SHA256.hash(authority.der)))"
    }
  }
}
