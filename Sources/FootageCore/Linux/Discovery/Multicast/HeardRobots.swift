/// The robots that have answered a repeated question, each with the number of rounds since its last answer.
package struct HeardRobots {
  private let mostSilences: Int
  private var known: [String: (robot: AnnouncedRobot, silences: Int)] = [:]

  /// - Parameter mostSilences: the number of rounds after which a robot is gone, including the round of its last
  ///   answer: with 3, it is gone after two rounds without an answer.
  package init(mostSilences: Int) { self.mostSilences = mostSilences }

  /// The robots, in the order of their names.
  package var robots: [AnnouncedRobot] { AnnouncedRobot.merged(known.values.map(\.robot)) }

  /// Records an answer. Its data about a robot replaces earlier data about that robot.
  ///
  /// - Returns: whether anything has changed.
  package mutating func hear(_ robots: [AnnouncedRobot]) -> Bool {
    var isNew = false
    for robot in robots {
      guard known[robot.id] != nil || known.count < AnnouncedRobot.mostRobots else { continue }
      // A robot in two networks answers in both, with the addresses that lead there. In one round, these are combined.
      let before = known[robot.id]
      let now =
        before.map { $0.silences == 0 ? AnnouncedRobot.merged([$0.robot, robot]).first ?? robot : robot } ?? robot
      isNew = isNew || before?.robot != now
      known[robot.id] = (now, 0)
    }
    return isNew
  }

  /// Ends a round: no more answers are expected, and another question is sent.
  ///
  /// - Returns: whether a robot is gone.
  package mutating func endRound() -> Bool {
    let before = known.count
    known = known.mapValues { ($0.robot, $0.silences + 1) }.filter { $0.value.silences < mostSilences }
    return known.count != before
  }
}
