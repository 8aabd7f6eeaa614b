internal import FootageSystem

/// A browser that asks the network itself for robots (RFC 6762 §5.4), if there is no Avahi, or Avahi reports no robots.
package struct MulticastBrowser: RobotBrowser {
  package init() {}

  /// The groups of multicast DNS (RFC 6762 §3).
  private static let groups = [
    SocketAddress(addressBytes: [224, 0, 0, 251], port: 5353),
    SocketAddress(addressBytes: [0xFF, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFB], port: 5353),
  ]
  /// The largest number of answers to one question that are read; further ones are ignored.
  private static let mostAnswers = 1_000
  /// The largest number of answers of one peer that are combined. A robot's records may be spread over several answers.
  private static let mostAnswersTogether = 8
  /// The pauses between two questions. A datagram may be lost, and a robot that has just started answers only once it
  /// knows that its name is unique. Each pause is about twice as long as the one before, and the last one repeats (RFC
  /// 6762 §5.2).
  private static let pauses = [1, 2, 4, 8, 16, 32, 60].map { Duration.seconds($0) }
  /// The number of rounds after which a robot is gone, including the round of its last answer: it is gone after two
  /// rounds without an answer.
  private static let mostSilences = 3

  package func browse(_ onChange: @escaping @Sendable ([AnnouncedRobot]) -> Void) async throws(DiscoveryError) {
    let wakeUp: WakeUp
    do throws(SystemError) { wakeUp = try WakeUp() } catch { throw .unavailable(error.description) }
    let outcome = await withTaskCancellationHandler {
      await BrowsingThread.run("mdns") { () throws(DiscoveryError) in try Self.ask(until: wakeUp, onChange) }
    } onCancel: {
      wakeUp.signal()
    }
    try outcome.get()
  }

  /// Asks again and again until `wakeUp` is signaled. Blocks.
  private static func ask(
    until wakeUp: WakeUp, _ onChange: ([AnnouncedRobot]) -> Void
  ) throws(DiscoveryError) {
    let words = DNSMessage.question(for: AnnouncedRobot.service)
    var heard = HeardRobots(mostSilences: mostSilences)
    do throws(SystemError) {
      let question = try MulticastQuestion(to: groups, wakeUp: wakeUp)
      try question.ask(words)
      for round in 0... {
        let deadline = Clock.system.deadline(after: pauses[min(round, pauses.count - 1)])
        guard hear(question, until: deadline, &heard, onChange) else { return }
        if heard.endRound() { onChange(heard.robots) }
        // A network that is gone may come back.
        try? question.ask(words)
      }
    } catch { throw .unavailable(error.description) }
  }

  /// Receives the answers to one question.
  ///
  /// - Returns: whether to ask again.
  private static func hear(
    _ question: borrowing MulticastQuestion, until deadline: Deadline, _ heard: inout HeardRobots,
    _ onChange: ([AnnouncedRobot]) -> Void
  ) -> Bool {
    var answers: [SocketAddress: [DNSMessage]] = [:]
    for _ in 0..<mostAnswers {
      switch question.next(until: deadline, capacity: DNSMessage.largest) {
      case .timedOut: return true
      case .woken: return false
      case .answer(let answer):
        guard let message = DNSMessage(answer.bytes) else { continue }
        let together = Array((answers[answer.peer] ?? []).suffix(mostAnswersTogether - 1)) + [message]
        answers[answer.peer] = together
        let robots = AnnouncedRobot.robots(in: together, zone: answer.peer.zone)
        if heard.hear(robots) { onChange(heard.robots) }
      }
    }
    return !question.isWoken(before: deadline)
  }
}
