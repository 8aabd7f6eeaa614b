internal import Foundation

/// The languages in which the library addresses the user of the app.
public enum ErrorLanguage: String, CaseIterable, Sendable {
  case english = "en"
  case german = "de"
  case chinese = "zh-Hans"

  /// Selects the first of a person's languages that the library has; English if the library has none of them.
  ///
  /// - Parameter identifiers: in BCP 47 form or as `Locale` writes them, the preferred one first: `de-AT`, `zh_CN`.
  public init(preferring identifiers: [String]) {
    let codes = identifiers.map { $0.prefix { $0 != "-" && $0 != "_" }.lowercased() }
    self = codes.lazy.compactMap { code in Self.allCases.first { $0.rawValue.prefix(2) == code } }.first ?? .english
  }

  /// The language in which the user sees the app, among those that the app is translated into. A program without
  /// translations uses the user's language, on Linux that of its environment.
  public static var preferred: ErrorLanguage {
    let bundle = Bundle.main
    guard bundle.localizations.isEmpty else { return ErrorLanguage(preferring: bundle.preferredLocalizations) }
    #if canImport(Darwin)
    return ErrorLanguage(preferring: Locale.preferredLanguages)
    #else
    // On Linux, Foundation reports English, whatever the environment says.
    return ErrorLanguage(preferring: identifiers(in: ProcessInfo.processInfo.environment))
    #endif
  }

  /// Returns the languages of messages that an environment names, the preferred one first. It follows POSIX.1-2024
  /// §8.2. Gettext's `LANGUAGE` takes precedence, but counts only if there is a locale.
  ///
  /// - Returns: the languages without encodings and modifiers: `de_AT`; empty for the locale `C`.
  static func identifiers(in environment: [String: String]) -> [String] {
    let variables = ["LC_ALL", "LC_MESSAGES", "LANG"]
    let set = variables.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    guard let locale = set?.prefix(while: { $0 != "." && $0 != "@" }), !["", "C", "POSIX"].contains(locale) else {
      return []
    }
    let languages = environment["LANGUAGE"]?.split(separator: ":") ?? []
    return (languages + [locale]).map(String.init)
  }
}
