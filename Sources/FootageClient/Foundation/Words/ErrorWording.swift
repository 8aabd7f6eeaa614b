public import Foundation

/// What an error is called in an alert: a sentence that says what is wrong, and one that says what can be done.
///
/// The words are for whoever holds the app, not for whoever wrote it: those have the error's `description`.
///
/// Another language, or other words: an app that has a `Footage.strings` or a string catalogue `Footage` says there
/// under ``key`` what is wrong, and under that key with `.advice` behind it what to do. `{name}` and the like stand for
/// ``arguments``. What is not there is said in the library's own words.
public struct ErrorWording: Hashable, Sendable {
  let topic: ErrorTopic
  /// By their names, as they stand in braces in the sentences.
  public let arguments: [String: String]

  init(_ topic: ErrorTopic, _ arguments: [String: String] = [:]) {
    self.topic = topic
    self.arguments = arguments
  }

  /// `trust.other-key`: it stays, whatever becomes of the words.
  public var key: String { topic.rawValue }

  /// All keys, for translators.
  public static var allKeys: [String] { ErrorTopic.allCases.map(\.rawValue) }

  /// What is wrong, in a sentence.
  ///
  /// - Parameters:
  ///   - language: of the library's own words.
  ///   - bundle: whose table `Footage` goes before them; nil for none.
  public func problem(in language: ErrorLanguage = .preferred, of bundle: Bundle? = .main) -> String {
    filled(Self.own(key, bundle) ?? words(in: language).problem)
  }

  /// What can be done, in a sentence; nil where there is nothing.
  ///
  /// - Parameters:
  ///   - language: of the library's own words.
  ///   - bundle: whose table `Footage` goes before them; nil for none.
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
    // A table that does not have it answers with the value, and no translation is a NUL.
    let found = bundle.localizedString(forKey: key, value: "\0", table: "Footage")
    return found == "\0" || found == key ? nil : found
  }

  /// In one pass: what an argument says is never read as the name of another one.
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

/// An error of the library as an alert shows it: `error.localizedDescription`, and `recoverySuggestion` below it, in
/// the app's language.
public protocol WordedError: LocalizedError {
  /// What it is called, by a key and arguments.
  var wording: ErrorWording { get }
}

extension WordedError {
  public var errorDescription: String? { wording.problem() }
  public var recoverySuggestion: String? { wording.advice() }
}
