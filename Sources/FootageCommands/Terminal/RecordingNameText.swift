internal import FootageAPI
internal import FootageCore
internal import FootageBase

/// A recording's name as a person pastes it: as `footage list` shows it, with its extension, or as its URL.
enum RecordingNameText {
  private static let endings = [".mp4", ".m4v", ".mov"]
  private static let folder = "/recordings/"

  /// Returns the names that a text may stand for. The text itself comes first, because programs that print names write
  /// them like that.
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

  /// Returns the address of the robot in these texts, as far as they are URLs of recordings.
  ///
  /// - Returns: nil if none of them is a URL.
  /// - Throws: a usage error if they name several robots, or if the robot of a URL cannot be read.
  static func robot(of texts: [String]) throws(UsageError) -> RobotAddress? {
    var found: RobotAddress?
    for text in texts {
      guard let rest = afterScheme(text) else { continue }
      // A URL without a port gets the default port of the scheme that robots have.
      guard let address = RobotAddress("https://\(rest)") else {
        throw UsageError("'\(text)' is a URL, and of no robot: its host cannot be read")
      }
      if let found, found != address { throw UsageError("the URLs are of \(found) and \(address): name one robot's") }
      found = address
    }
    return found
  }

  /// Returns the name in `https://HOST/recordings/NAME.mp4?…`, or in the path of such a URL; nil if the text is
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

  /// Asks a robot for each name that a text may stand for, until the robot has one of them.
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
