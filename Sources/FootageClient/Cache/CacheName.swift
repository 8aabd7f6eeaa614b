/// What the cache knows a robot by: its key, wherever the robot is.

internal import Digest
internal import Formats

enum CacheName {
  /// - Returns: what is another one for every other robot; under an authority, which vouches for many, the address
  ///   counts too.
  static func of(_ pin: TrustPin, _ address: RobotAddress) -> String {
    switch pin {
    case .publicKey(let pin): pin.description
    case .certificate(let certificate):
      "certificate \(Hexadecimal.encode(certificate.digest ?? SHA256.hash(certificate.der ?? [])))"
    case .authority(let authority): "\(address) by \(Hexadecimal.encode(SHA256.hash(authority.der)))"
    }
  }
}
