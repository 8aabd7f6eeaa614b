internal import FootageCore

/// The server of many robots that a command line names in addition to a robot. It answers requests for recordings that
/// the robot no longer has, and stands in for the robot while the robot cannot be reached.
struct FleetAccess {
  private let text: String
  private let known: [PairingStore.Pairing]
  /// The server's name or address.
  private let server: String
  /// The name of the robot on the server of many robots.
  private let robot: String

  /// - Parameters:
  ///   - robot: the name that the robot had when it was paired.
  ///   - known: all pairings.
  /// - Returns: nil if the command line names no such server.
  init?(
    _ arguments: ParsedArguments, robot: String?, among known: [PairingStore.Pairing]
  ) throws(CommandFailure) {
    guard let text = arguments["fleet"] else { return nil }
    let words = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let name = words.count == 2 ? words[1] : robot, !name.isEmpty, !words[0].isEmpty else {
      throw .usage(UsageError("give the robot's name on that server: --fleet \(words[0])/ROBOT"))
    }
    (self.text, self.known, server, self.robot) = (text, known, words[0], name)
  }

  /// Returns the connection to the robot, with the server of many robots as its backup.
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
