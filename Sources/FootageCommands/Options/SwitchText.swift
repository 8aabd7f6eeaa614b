/// A switch in the environment: on or off in a word.
enum SwitchText {
  private static let on: Set<String> = ["1", "true", "yes", "on"]
  private static let off: Set<String> = ["0", "false", "no", "off"]

  /// - Returns: nil where the word says neither. Capitals and blanks around it do not count.
  static func read(_ text: String) -> Bool? {
    let word = String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed()).lowercased()
    if on.contains(word) { return true }
    return off.contains(word) ? false : nil
  }

  /// What is said where it says neither.
  static func words(_ variable: String, _ value: String) -> String {
    "\(variable) has to be 1, true, yes or on, or 0, false, no or off, and is '\(value)'"
  }
}
