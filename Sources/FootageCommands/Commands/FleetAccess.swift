internal import FootageCore

/// The server of many robots that a command line names behind a robot.
struct FleetAccess {
  private let text: String
  private let known: [PairingStore.Pairing]
  /// The server's, by name or address.
  private let server: String
  /// What the robot is called there.
  private let robot: String

  /// - Parameters:
  ///   - robot: what the robot was called when somebody paired with it.
  ///   - known: all that are paired.
  /// - Returns: nil where none is named.
  init?(
    _ arguments: ParsedArguments, robot: String?, among known: [PairingStore.Pairing]
  ) throws(CommandFailure) {
    guard let text = arguments["fleet"] else { return nil }
    let words = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let name = words.count == 2 ? words[1] : robot, !name.isEmpty, !words[0].isEmpty else {
      throw .usage(UsageError("say what the robot is called there: --fleet \(words[0])/ROBOT"))
    }
    (self.text, self.known, server, self.robot) = (text, known, words[0], name)
  }

  /// The robot with that server behind it.
  func behind(_ connection: RobotConnection, as identity: IdentitySource?) async throws(CommandFailure)
    -> RobotConnection
  {
    let store = try RobotAccess.pairings()
    let address = try RobotAccess.address(server, among: known)
    do throws(RobotError) {
      let fleet = try await RobotAccess.connect(toPaired: server, at: address, among: known, in: store, as: identity)
      return connection.backed(by: fleet, as: robot)
    } catch { throw .failed("--fleet \(text): \(error)") }
  }
}
