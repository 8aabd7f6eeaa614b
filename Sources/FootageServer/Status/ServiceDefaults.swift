internal import FootageBase
internal import FootageSystem

/// What the package's service serves, as its unit, the drop-ins beside that and `/etc/default/footage` say: for commands
/// that are run beside it.
package struct ServiceDefaults: Sendable {
  /// A variable of the service's, with where it is set.
  package struct Variable: Hashable, Sendable {
    package let name: String
    package let value: String
    /// The path of a file, or words for the unit itself.
    package let place: String
  }

  private var variables: [String: Variable] = [:]

  private static let file = "/etc/default/footage"
  private static let dropIns = "/etc/systemd/system/footage.service.d"
  private static let certificates = "/etc/footage"
  private static let largestFile: UInt64 = 1 << 16
  private static let unit = "the package's unit"
  /// As the unit has it.
  private static let ofUnit = [
    "FOOTAGE_RECORDINGS": "/srv/recordings", "FOOTAGE_CERTS": certificates, "FOOTAGE_STATE": "/var/lib/footage",
  ]

  /// The value of a variable; nil where it is not set, or empty.
  package subscript(name: String) -> String? {
    variables[name].flatMap { $0.value.isEmpty ? nil : $0.value }
  }

  /// All that are set, by name.
  package var all: [Variable] { variables.values.sorted { $0.name < $1.name } }

  /// The variable itself; nil where it is not set, or empty.
  package func variable(_ name: String) -> Variable? { self[name] == nil ? nil : variables[name] }

  /// Nothing where the package is not installed. Blocks.
  package static func installed() -> ServiceDefaults {
    guard FileTree.exists(file) || FileTree.exists(certificates) else { return ServiceDefaults([:], "") }
    var defaults = ServiceDefaults(ofUnit, "")
    // Drop-ins in the order of their names, and then what `EnvironmentFile=` names (man 5 systemd.exec).
    for name in ((try? FolderListing.entries(of: dropIns)) ?? []).compactMap(\.name) where name.hasSuffix(".conf") {
      defaults.takeUnit(text(of: "\(dropIns)/\(name)"), at: "\(dropIns)/\(name)")
    }
    defaults.take(text(of: file), at: file)
    return defaults
  }

  /// What a file says; nothing where it cannot be read.
  private static func text(of path: String) -> String {
    (try? TextFile.read(path, longest: largestFile)) ?? ""
  }

  /// - Parameters:
  ///   - values: of the unit itself.
  ///   - text: as of a file of defaults.
  init(_ values: [String: String], _ text: String) {
    for (name, value) in values { variables[name] = Variable(name: name, value: value, place: Self.unit) }
    take(text, at: Self.file)
  }

  /// Takes lines `NAME=VALUE`, as systemd reads them (man 5 systemd.exec, `EnvironmentFile=`); of quotes, those around a
  /// value are taken off.
  private mutating func take(_ text: String, at place: String) {
    for line in text.split(whereSeparator: \.isNewline) {
      let line = Self.trimmed(line[...])
      guard let first = line.first, first != "#", first != ";" else { continue }
      set(line, at: place)
    }
  }

  /// Takes what `Environment=` lines of a unit say: words of `NAME=VALUE`, in quotes where there are blanks in them.
  mutating func takeUnit(_ text: String, at place: String) {
    for line in text.split(whereSeparator: \.isNewline) {
      let line = Self.trimmed(line[...])
      guard line.hasPrefix("Environment="), let sign = line.firstIndex(of: "=") else { continue }
      for word in Self.words(of: line[line.index(after: sign)...]) { set(word[...], at: place) }
    }
  }

  private mutating func set(_ assignment: Substring, at place: String) {
    guard let sign = assignment.firstIndex(of: "=") else { return }
    var value = Self.trimmed(assignment[assignment.index(after: sign)...])
    if let quote = value.first, value.count > 1, quote == "\"" || quote == "'", value.last == quote {
      value = value.dropFirst().dropLast()
    }
    let name = String(Self.trimmed(assignment[..<sign]))
    variables[name] = Variable(name: name, value: String(value), place: place)
  }

  private static func words(of text: Substring) -> [String] {
    var words: [String] = []
    var word = ""
    var quote: Character?
    for character in text {
      if character == quote {
        quote = nil
      } else if quote == nil, character == "\"" || character == "'" {
        quote = character
      } else if quote == nil, character.isWhitespace {
        if !word.isEmpty { words.append(word) }
        word = ""
      } else {
        word.append(character)
      }
    }
    return word.isEmpty ? words : words + [word]
  }

  private static func trimmed(_ text: Substring) -> Substring {
    let start = text.drop(while: \.isWhitespace)
    guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return start.prefix(0) }
    return start[...end]
  }
}
