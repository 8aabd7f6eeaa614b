internal import FootageFetching
internal import FootageHTTP

/// The check of a player's user, which Network.framework does not report: the token alone decides. On iOS every app in
/// effect has a user of its own, and no other app sees the URL.
final class PlayerUsers: Sendable {
  static let areKnownHere = false

  let areKnown = false

  func learn(listeningOn port: UInt16?) {}

  /// The user of a connection.
  final class Player {
    init(_ connection: AcceptedConnection, _ users: PlayerUsers) {}

    /// Returns nil: no client is refused because of its user.
    func refusal() async -> HTTPDocument? { nil }
  }
}
