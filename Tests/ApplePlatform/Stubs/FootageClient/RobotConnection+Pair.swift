extension RobotConnection {
  @discardableResult
  public static func pair(
    with link: PairingLink, in pairings: PairingStore, as identity: IdentitySource? = nil
  ) async throws(RobotError) -> PairingStore.Pairing {
    throw .unreachable("there is no transport here")
  }
}

public struct PairingLink: Hashable, Sendable {
  public let name: String
  public let addresses: [RobotAddress]
  public let pin: PublicKeyPin

  public init(_ text: String) throws(RobotError) { throw .malformed("there are no links here") }
}

extension PairingStore.Pairing: Identifiable {
  public var id: String { address.description }
  public var name: String? { nil }
}
