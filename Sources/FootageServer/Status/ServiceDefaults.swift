internal import FootageBase
internal import FootageSystem

/// The settings of the package's service, from its unit, the unit's drop-ins and `/etc/default/footage`. Commands that
/// run on the same machine use them.
package struct ServiceDefaults: Sendable {
  /// A variable of the service, with the place where it is set.
  package struct Variable: Hashable, Sendable {
    package let name: String
    package let value: String
    /// The path of a file, or a phrase for the unit itself.
    package let place: String
  }

  private var variables: [String: Variable] = [:]

  private static let file = "/etc/default/footage"
  private static let dropIns = "/etc/systemd/system/footage.service.d"
  private static let certificates = "/etc/footage"
  private static let largestFile: UInt64 = 1 << 16
  private static let unit = "the package's unit"
  /// The values in the unit itself.
  private static let ofUnit = [
    "FOOTAGE_RECORDINGS": "/srv/recordings", "FOOTAGE_CERTS": certificates, "FOOTAGE_STATE": "/var/lib/footage",
  ]

  /// The value of a variable; nil if it is not set, or empty.
  package subscript(name: String) -> String? {
    variables[name].flatMap { $0.value.isEmpty ? nil : $0.value }
  }

  /// All variables that are set, by name.
  package var all: [Variable] { variables.values.sorted { $0.name < $1.name } }

  /// Returns the variable itself; nil if it is not set, or empty.
  package func variable(_ name: String) -> Variable? { self[name] == nil ? nil : variables[name] }

  /// Returns the settings of the installed service; empty if the package is not installed. Blocks.
  package static func installed() -> ServiceDefaults {
    guard FileTree.exists(file) || FileTree.exists(certificates) else { return ServiceDefaults([:], "") }
    var defaults = ServiceDefaults(ofUnit, "")
    // Drop-ins are read in the order of their names. The file of `EnvironmentFile=` follows (man 5 systemd.exec).
    for name in ((try? FolderListing.entries(of: dropIns)) ?? []).compactMap(\.name) where name.hasSuffix(".conf") {
      defaults.takeUnit(text(of: "\(dropIns)/\(name)"), at: "\(dropIns)/\(name)")
    }
    defaults.take(text(of: file), at: file)
    return defaults
  }

  /// Returns the text of a file; empty if it cannot be read.
  private static func text(of path: String) -> String {
    (try? TextFile.read(path, longest: largestFile)) ?? ""
  }

  /// - Parameters:
  ///   - values: the values in the unit itself.
  ///   - text: the text of a file of defaults.
  init(_ values: [String: String], _ text: String) {
    for (name, value) in values { variables[name] = Variable(name: name, value: value, place: Self.unit) }
    take(text, at: Self.file)
  }

  /// Reads lines of the form `NAME=VALUE` as systemd does (man 5 systemd.exec, `EnvironmentFile=`). Only quotes around
  /// a value are removed.
  private mutating func take(_ text: String, at place: String) {
    for line in text.split(whereSeparator: \.isNewline) {
      let line = Self.trimmed(line[...])
      guard let first = line.first, first != "#", first != ";" else { continue }
      set(line, at: place)
    }
  }

  /// Reads the `Environment=` lines of a unit: words of the form `NAME=VALUE`, quoted if they contain blanks.
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
