internal import FootageFetching
internal import FootageHTTP

/// Network does not say whose a connection is: the token alone decides. On iOS every app has a user of its own in effect,
/// and no other sees the URL.
final class PlayerUsers: Sendable {
  static let areKnownHere = false

  let areKnown = false

  func learn(listeningOn port: UInt16?) {}

  /// A connection's user.
  final class Player {
    init(_ connection: AcceptedConnection, _ users: PlayerUsers) {}

    /// Nil: nobody is kept out for who they are.
    func refusal() async -> HTTPDocument? { nil }
  }
}
