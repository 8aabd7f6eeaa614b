internal import FootageAPI
internal import FootageCore
internal import FootageBase

/// Reads the name of a recording from text that a person pastes. The text may be the name as `footage list` shows it,
/// the name with its file extension, or the recording's URL.
enum RecordingNameText {
  private static let endings = [".mp4", ".m4v", ".mov"]
  private static let folder = "/recordings/"

  /// Returns the names that the text may mean, most likely first. The first is always the text itself, because other
  /// programs print names without an extension and outside a URL.
  static func readings(of text: String) -> [String] {
    var readings = [text]
    let name = path(of: text) ?? String(text.drop { $0 == "/" })
    for reading in [name, withoutEnding(name)] where !reading.isEmpty {
      if !readings.contains(where: { isSame($0, reading) }) { readings.append(reading) }
    }
    return readings
  }

  /// Returns true if two names are equal byte by byte.
  private static func isSame(_ one: String, _ other: String) -> Bool { ExactName(one) == ExactName(other) }

  /// Returns the part of a URL after its scheme; nil if the text is not a URL.
  private static func afterScheme(_ text: String) -> Substring? {
    for scheme in ["https://", "http://"] where text.prefix(scheme.count).lowercased() == scheme {
      return text.dropFirst(scheme.count)
    }
    return nil
  }

  /// Returns the address of the robot in those texts that are URLs of recordings.
  static func robot(of texts: [String]) throws(UsageError) -> RobotAddress? {
    var found: RobotAddress?
    for text in texts {
      guard let rest = afterScheme(text) else { continue }
      // A URL without a port gets the default port of the scheme that robots have.
      guard let address = RobotAddress("https://\(rest)") else {
        throw UsageError(
          "'\(text)' is not the URL of a robot: its host is invalid: use https://HOST:PORT/recordings/NAME")
      }
      if let found, found != address {
        throw UsageError("the URLs are from \(found) and \(address): use URLs of one robot")
      }
      found = address
    }
    return found
  }

  /// Returns the name in `https://HOST/recordings/NAME.mp4?…`, or in the path of that URL alone; nil if the text is
  /// neither.
  private static func path(of text: String) -> String? {
    let rest = afterScheme(text)?.drop { $0 != "/" } ?? Substring(text)
    guard rest.utf8.starts(with: folder.utf8) else { return nil }
    let path = rest.dropFirst(folder.count).prefix { $0 != "?" && $0 != "#" }
    return PercentEncoding.decode(path.utf8).flatMap { String(validating: $0, as: UTF8.self) }
  }

  private static func withoutEnding(_ name: String) -> String {
    guard let ending = endings.first(where: { name.utf8.suffix($0.utf8.count).elementsEqual($0.utf8) }) else {
      return name
    }
    return String(name.dropLast(ending.count))
  }

  /// Calls `ask` with each name that the text may mean, until the robot has a recording of that name.
  static func first<Answer>(
    of text: String, _ ask: (String) async throws(RobotError) -> Answer
  ) async throws(RobotError) -> Answer {
    var missing: RobotError?
    for reading in readings(of: text) {
      do throws(RobotError) { return try await ask(reading) } catch {
        guard case .notFound(_, .notFound, _) = error else { throw missing ?? error }
        missing = missing ?? error
      }
    }
    throw missing ?? .notFound(name: text, code: .notFound, reason: "there is no such recording")
  }
}
