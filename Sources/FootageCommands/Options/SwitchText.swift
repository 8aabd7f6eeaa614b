/// A switch in the environment: a word for on or off.
enum SwitchText {
  private static let on: Set<String> = ["1", "true", "yes", "on"]
  private static let off: Set<String> = ["0", "false", "no", "off"]

  /// - Returns: nil if the word means neither. Case and surrounding blanks do not count.
  static func read(_ text: String) -> Bool? {
    let word = String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed()).lowercased()
    if on.contains(word) { return true }
    return off.contains(word) ? false : nil
  }

  /// Returns the message about a value that means neither.
  static func words(_ variable: String, _ value: String) -> String {
    "\(variable) must be 1, true, yes or on, or 0, false, no or off, not '\(value)'"
  }
}
