internal import FootageAPI
internal import FootageServer
internal import FootageBase
internal import FootageSystem

/// The command `footage offload`, which shows the progress of copying recordings to the store, and manages the stored
/// ones.
enum OffloadCommand: Command {
  static let usage = Usage(
    "offload", "Reports on copying recordings to the store, and restores, verifies and deletes those there.",
    operands: "status|now|restore|verify|release|remove [NAME…]",
    options: [
      StatusOption.asking,
      .flag("read", "verify: reads all bytes in the store, and compares their SHA-256 with the signed one."),
      .flag("no-wait", "Returns at once; footage offload status shows the result."),
      .flag("json", "Prints JSON, for programs."),
    ],
    details: """
      status          shows how much is in the store, how much is still to be copied, and what prevents copying
      now NAME…       copies these before all others
      restore NAME…   copies these back to the robot's disk, if they match what was signed; they stay in the store
      verify [NAME…]  checks that the store has these, or all, with their lengths and the robot's signature
      release NAME…   ends the protection of these, if they are only in the store
      remove NAME…    deletes these from the store, if they are only there: no copy is left then

      NAME is a recording's name, with or without the extension of its file. Protected recordings are not deleted.

      Asks the server on this machine over its socket, as footage status does; root and the server's own user may do so.
      Each request leaves a line with uid and pid in the server's log. Exits with 1 if part of a request could not be
      carried out, or something prevents copying to the store.
      """)

  private enum Verb: String, CaseIterable {
    case status, now, restore, verify, release, remove

    static let words = "status, now, restore, verify, release or remove"
  }

  /// The time between two checks of the results, in milliseconds.
  private static let pauseMilliseconds: UInt32 = 200

  static func run(_ arguments: ParsedArguments) throws(UsageError) -> ExitCode {
    let verb: Verb
    switch arguments.operands.first {
    case nil: verb = .status
    case let word?:
      guard let known = Verb(rawValue: word) else {
        throw UsageError("there is no 'offload \(word)': use \(Verb.words)")
      }
      verb = known
    }
    let names = Array(arguments.operands.dropFirst())
    let places = try StatusOption.places(arguments)
    switch verb {
    case .status:
      if let name = names.first { throw UsageError("'\(name)' is one word too many") }
      return status(places, asJSON: arguments.flag("json"))
    case .now, .restore, .release, .remove:
      guard !names.isEmpty else { throw UsageError("'offload \(verb.rawValue)' needs the names of recordings") }
    case .verify: break
    }
    // All recordings must be requested explicitly: an empty list of names could be a mistake.
    let wish = OffloadRequest(
      verb: verb == .verify && arguments.flag("read") ? "read" : verb.rawValue, names: names.isEmpty ? nil : names)
    return carryOut(wish, places, waits: !arguments.flag("no-wait"), asJSON: arguments.flag("json"))
  }

  private static func status(_ places: [StatusPlace], asJSON: Bool) -> ExitCode {
    switch StatusClient.askAboutOffload(nil, places) {
    case .failed(let reason): return Terminal.failed(reason)
    case .answered(let report, let text):
      Terminal.output(asJSON ? text : OffloadWords.status(report))
      return report.troubles.isEmpty ? .done : .failed
    }
  }

  private static func carryOut(
    _ wish: OffloadRequest, _ places: [StatusPlace], waits: Bool, asJSON: Bool
  ) -> ExitCode {
    let begun: OffloadReport
    switch StatusClient.askAboutOffload(wish, places) {
    case .failed(let reason): return Terminal.failed(reason)
    case .answered(let report, let text):
      begun = report
      guard waits else {
        Terminal.output(asJSON ? text : "\(report.tasks.count) to be done; footage offload status shows the progress\n")
        return .done
      }
    }
    var open = Set(begun.tasks.map(\.number))
    guard !open.isEmpty else {
      Terminal.say("the store has no recordings")
      return .done
    }
    var hasFailed = false
    while !open.isEmpty {
      let report: OffloadReport
      switch StatusClient.askAboutOffload(nil, places) {
      case .failed(let reason): return Terminal.failed(reason)
      case .answered(let answer, _): report = answer
      }
      for task in report.tasks where task.isOver && open.remove(task.number) != nil {
        Terminal.output(Terminal.printable("\(task.name): \(task.text ?? "")") + "\n")
        if task.state == .failed { hasFailed = true }
      }
      // If the server does not know a task any more, it was restarted and will not report it.
      let known = Set(report.tasks.map(\.number))
      guard open.isSubset(of: known) else {
        return Terminal.failed("the server was restarted in the meantime: run the command again")
      }
      if !open.isEmpty { Thread.sleep(milliseconds: pauseMilliseconds) }
    }
    return hasFailed ? .failed : .done
  }
}

/// The text of a report.
enum OffloadWords {
  static func status(_ report: OffloadReport) -> String {
    var lines = ["store: \(report.store)"]
    lines.append("stored: \(recordings(report.storedCount)), \(RecordingTable.size(report.storedBytes))")
    var backlog = "waiting: \(recordings(report.backlogCount)), \(RecordingTable.size(report.backlogBytes))"
    if let oldest = report.oldest { backlog += ", the oldest from \(oldest.rfc3339)" }
    lines.append(backlog)
    if let current = report.current {
      lines.append(
        "now: \(current.name), \(RecordingTable.size(current.sentBytes)) of \(RecordingTable.size(current.totalBytes))")
    }
    if let last = report.lastSuccess { lines.append("last stored: \(last.rfc3339)") }
    if report.sentBytes > 0 {
      lines.append(
        "sent since the start: \(RecordingTable.size(report.sentBytes)), including \(RecordingTable.size(report.resentBytes)) sent again"
      )
    }
    for refusal in report.refusals { lines.append("cannot be stored: \(refusal.name): \(refusal.reason)") }
    lines += report.troubles.map { "\($0.code): \($0.text)" }
    return lines.map { Terminal.printable($0) + "\n" }.joined()
  }

  private static func recordings(_ count: Int) -> String { count == 1 ? "1 recording" : "\(count) recordings" }
}
