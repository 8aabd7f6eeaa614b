/// Who has answered which of the questions that are asked again and again.
package struct HeardRobots {
  private let mostSilences: Int
  private var known: [String: (robot: AnnouncedRobot, silences: Int)] = [:]

  /// - Parameter mostSilences: a robot that was silent to so many questions has gone.
  package init(mostSilences: Int) { self.mostSilences = mostSilences }

  /// In the order of their names.
  package var robots: [AnnouncedRobot] { AnnouncedRobot.merged(known.values.map(\.robot)) }

  /// Takes an answer: what it says of a robot takes the place of what was known of it.
  ///
  /// - Returns: whether that is new.
  package mutating func hear(_ robots: [AnnouncedRobot]) -> Bool {
    var isNew = false
    for robot in robots {
      guard known[robot.id] != nil || known.count < AnnouncedRobot.mostRobots else { continue }
      // A robot in two networks answers in both, each with what leads there: in one round it is all of these.
      let before = known[robot.id]
      let now =
        before.map { $0.silences == 0 ? AnnouncedRobot.merged([$0.robot, robot]).first ?? robot : robot } ?? robot
      isNew = isNew || before?.robot != now
      known[robot.id] = (now, 0)
    }
    return isNew
  }

  /// No more answers are waited for, and another question is asked.
  ///
  /// - Returns: whether somebody has gone.
  package mutating func endRound() -> Bool {
    let before = known.count
    known = known.mapValues { ($0.robot, $0.silences + 1) }.filter { $0.value.silences < mostSilences }
    return known.count != before
  }
}
