internal import FootageDigest
internal import FootageBase

/// What the cache knows a robot by: its key, wherever the robot is.
package enum CacheName {
  /// What a robot was ever known by, in this order: the cache has what is new of it under the first.
  package static func all(_ pins: [TrustPin], _ address: RobotAddress) -> [String] { pins.map { of($0, address) } }

  /// - Returns: what is another one for every other robot. Under an authority, which vouches for many, the address
  ///   counts too; an app that knows such a robot's key as well has its recordings go by that (`earlierPins`), and
  ///   finds them at every address.
  static func of(_ pin: TrustPin, _ address: RobotAddress) -> String {
    switch pin {
    case .publicKey(let pin): pin.description
    case .certificate(let certificate):
      "certificate \(Hexadecimal.encode(certificate.digest ?? SHA256.hash(certificate.der ?? [])))"
    case .authority(let authority): "\(address) by \(Hexadecimal.encode(SHA256.hash(authority.der)))"
    }
  }
}
