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
  /// translations speaks the user's.
  public static var preferred: ErrorLanguage {
    let bundle = Bundle.main
    return ErrorLanguage(
      preferring: bundle.localizations.isEmpty ? Locale.preferredLanguages : bundle.preferredLocalizations)
  }
}
