internal import FootageSystem

/// The variables that begin with `FOOTAGE_`, with a check for those that nothing reads. Otherwise a misspelled variable
/// could leave a robot open, or its disk full, without any message.
enum EnvironmentNames {
  static let prefix = "FOOTAGE_"

  /// The variables of scripts, builds and tests, which people run in the same shell.
  static let ofScripts: Set<String> = [
    "FOOTAGE_BENCH", "FOOTAGE_BINARY", "FOOTAGE_COMMIT", "FOOTAGE_EARLIER", "FOOTAGE_FIXTURES", "FOOTAGE_FUZZ",
    "FOOTAGE_MAINTAINER", "FOOTAGE_OWN_MOUNTS", "FOOTAGE_P12_PASSPHRASE", "FOOTAGE_RELEASE", "FOOTAGE_SEED",
    "FOOTAGE_SKIPPED", "FOOTAGE_SOAK", "FOOTAGE_STRICT", "FOOTAGE_TEST_STORE", "FOOTAGE_TEST_STORE_KEY",
  ]

  /// The variables of all options of all commands, and of scripts.
  private static let known: Set<String> = ofScripts.union(
    Footage.commands.flatMap { $0.usage.options.flatMap(\.environmentNames) })

  /// Returns, sorted, the names that no part of the program reads.
  static func unknown(_ names: [String]) -> [String] {
    let ours = names.filter { $0.utf8.starts(with: prefix.utf8) && !known.contains($0) }
    let services = ours.filter { $0.hasSuffix(serviceHost) }.map { String($0.dropLast(serviceHost.count)) }
    return ours.filter { name in !services.contains { isFromService($0, name) } }.sorted()
  }

  /// The suffix of the variables by which Kubernetes announces each service to every container, together with some more
  /// variables. For a service called `footage` or `footage-web`, their names begin with `FOOTAGE_`.
  private static let serviceHost = "_SERVICE_HOST"

  private static func isFromService(_ service: String, _ name: String) -> Bool {
    name == "\(service)_PORT" || name.hasPrefix("\(service)_PORT_") || name.hasPrefix("\(service)_SERVICE_")
  }

  /// Returns the unknown variables of this process.
  static func unknownHere() -> [String] { unknown(Process.variableNames(beginningWith: prefix)) }

  /// Returns the message about a variable. It contains only the name, because a value may be a secret.
  static func words(_ name: String) -> String {
    let shown = Terminal.printable(name)
    // Two different letters are too many in a short name.
    let most = min(mostDifferences, (name.utf8.count - prefix.utf8.count) / lettersPerDifference)
    let likely = known.filter { distance(name, $0) <= most }.min { one, other in
      let (first, second) = (distance(name, one), distance(name, other))
      return first == second ? one < other : first < second
    }
    let hint = likely.map { "; perhaps you meant \($0)" } ?? ""
    return "\(shown) belongs to no option and is ignored\(hint)"
  }

  /// The maximum number of wrong letters in a misspelled name.
  private static let mostDifferences = 2
  private static let lettersPerDifference = 3

  /// Returns the number of letters to change, insert or delete to turn one word into the other (Levenshtein distance).
  private static func distance(_ one: String, _ other: String) -> Int {
    let (letters, others) = (Array(one.utf8.prefix(longest)), Array(other.utf8.prefix(longest)))
    var row = Array(0...others.count)
    for (index, letter) in letters.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for (column, otherLetter) in others.enumerated() {
        let above = row[column + 1]
        row[column + 1] = min(above + 1, row[column] + 1, diagonal + (letter == otherLetter ? 0 : 1))
        diagonal = above
      }
    }
    return row[others.count]
  }

  /// The length to which names are compared, in bytes.
  private static let longest = 64
}
