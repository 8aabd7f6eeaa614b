internal import Foundation

/// The languages in which the library speaks to whoever holds the app.
public enum ErrorLanguage: String, CaseIterable, Sendable {
  case english = "en"
  case german = "de"
  case chinese = "zh-Hans"

  /// The first of them that somebody reads; English where they read none of them.
  ///
  /// - Parameter identifiers: BCP 47 or as `Locale` writes them, the preferred one first: `de-AT`, `zh_CN`.
  public init(preferring identifiers: [String]) {
    let codes = identifiers.map { $0.prefix { $0 != "-" && $0 != "_" }.lowercased() }
    self = codes.lazy.compactMap { code in Self.allCases.first { $0.rawValue.prefix(2) == code } }.first ?? .english
  }

  /// The app's own: of the languages that it is translated into, the one that its user sees it in. A program without
  /// translations speaks the user's, on Linux that of its environment.
  public static var preferred: ErrorLanguage {
    let bundle = Bundle.main
    guard bundle.localizations.isEmpty else { return ErrorLanguage(preferring: bundle.preferredLocalizations) }
    #if canImport(Darwin)
    return ErrorLanguage(preferring: Locale.preferredLanguages)
    #else
    // Foundation says English on Linux, whatever the environment says.
    return ErrorLanguage(preferring: identifiers(in: ProcessInfo.processInfo.environment))
    #endif
  }

  /// The languages of messages that an environment names, the preferred one first: POSIX.1-2024 §8.2, and gettext's
  /// `LANGUAGE` before it, which counts where there is a locale.
  ///
  /// - Returns: without encodings and modifiers: `de_AT`; empty for the locale `C`.
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
