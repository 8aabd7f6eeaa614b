internal import FootageFetching
internal import FootageHTTP

/// The check of the user who runs a player. Network.framework does not report that user, so this check refuses nobody,
/// and the token in the URL is the only protection. On iOS, every app in effect has a user of its own, and no other app
/// sees the URL.
final class PlayerUsers: Sendable {
  static let areKnownHere = false

  let areKnown = false

  func learn(listeningOn port: UInt16?) {}

  /// The player at the other end of a connection. Its user is unknown here.
  final class Player {
    init(_ connection: AcceptedConnection, _ users: PlayerUsers) {}

    /// Returns nil: no client is refused because of its user.
    func refusal() async -> HTTPDocument? { nil }
  }
}
