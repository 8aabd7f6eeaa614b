public import Foundation

/// The words for an error in an alert: a sentence that says what is wrong, and one that says what can be done.
///
/// The words are for the user of the app. Its developer has the error's `description`.
///
/// An app can provide another language, or other words, in a `Footage.strings` or a string catalog `Footage`. The entry
/// for ``key`` says what is wrong, and the entry for that key with `.advice` appended says what to do. `{name}` and the
/// like stand for ``arguments``. Where an entry is missing, the library's own words are used.
public struct ErrorWording: Hashable, Sendable {
  let topic: ErrorTopic
  /// The arguments, by their names, which are in braces in the sentences.
  public let arguments: [String: String]

  init(_ topic: ErrorTopic, _ arguments: [String: String] = [:]) {
    self.topic = topic
    self.arguments = arguments
  }

  /// The key of the words, such as `trust.other-key`. It stays the same even if the words change.
  public var key: String { topic.rawValue }

  /// All keys, for translators.
  public static var allKeys: [String] { ErrorTopic.allCases.map(\.rawValue) }

  /// Returns a sentence that says what is wrong.
  ///
  /// - Parameters:
  ///   - language: the language of the library's own words.
  ///   - bundle: the bundle whose strings table `Footage` takes precedence over the library's words; nil for none.
  public func problem(in language: ErrorLanguage = .preferred, of bundle: Bundle? = .main) -> String {
    filled(Self.own(key, bundle) ?? words(in: language).problem)
  }

  /// Returns a sentence that says what can be done; nil if nothing can.
  ///
  /// - Parameters:
  ///   - language: the language of the library's own words.
  ///   - bundle: the bundle whose strings table `Footage` takes precedence over the library's words; nil for none.
  public func advice(in language: ErrorLanguage = .preferred, of bundle: Bundle? = .main) -> String? {
    (Self.own("\(key).advice", bundle) ?? words(in: language).advice).map(filled)
  }

  func words(in language: ErrorLanguage) -> (problem: String, advice: String?) {
    switch language {
    case .english: topic.english
    case .german: topic.german
    case .chinese: topic.chinese
    }
  }

  private static func own(_ key: String, _ bundle: Bundle?) -> String? {
    guard let bundle else { return nil }
    // A table without the key returns the value, and no translation is a NUL.
    let found = bundle.localizedString(forKey: key, value: "\0", table: "Footage")
    return found == "\0" || found == key ? nil : found
  }

  /// Fills in the arguments in one pass, so that the text of an argument is never read as the name of another one.
  private func filled(_ sentence: String) -> String {
    var made = ""
    var rest = sentence[...]
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      made += rest[..<open]
      let name = rest[rest.index(after: open)..<close]
      made += arguments[String(name)] ?? "{\(name)}"
      rest = rest[rest.index(after: close)...]
    }
    return made + rest
  }
}

/// An error of the library as an alert shows it, in the app's language: `error.localizedDescription`, with
/// `recoverySuggestion` below it.
public protocol WordedError: LocalizedError {
  /// The words for the error, as a key and arguments.
  var wording: ErrorWording { get }
}

extension WordedError {
  public var errorDescription: String? { wording.problem() }
  public var recoverySuggestion: String? { wording.advice() }
}
