/// Text cut to the columns of a terminal.
enum TextColumns {
  /// Returns the beginning and the end of a text, with `…` for the part between them: `front/2026-11…0-15-30`.
  static func shortenedInMiddle(_ text: String, to columns: Int) -> String {
    guard ProgressLine.width(text) > columns else { return text }
    guard columns > 1 else { return columns == 1 ? "…" : "" }
    let scalars = Array(text.unicodeScalars)
    func taken(_ scalars: some Sequence<Unicode.Scalar>, columns: Int) -> [Unicode.Scalar] {
      var (kept, used) = ([Unicode.Scalar](), 0)
      for scalar in scalars {
        used += ProgressLine.width(String(scalar))
        guard used <= columns else { break }
        kept.append(scalar)
      }
      return kept
    }
    let head = taken(scalars, columns: columns / 2)
    let tail = taken(scalars.reversed(), columns: columns - 1 - columns / 2)
    return String(String.UnicodeScalarView(head)) + "…" + String(String.UnicodeScalarView(tail.reversed()))
  }

  /// Returns a text with its end cut off: `refused: box 'moov' at…`.
  static func shortenedAtEnd(_ text: String, to columns: Int) -> String {
    guard ProgressLine.width(text) > columns else { return text }
    guard columns > 0 else { return "" }
    var (kept, used) = (String.UnicodeScalarView(), 1)
    for scalar in text.unicodeScalars {
      used += ProgressLine.width(String(scalar))
      guard used <= columns else { break }
      kept.append(scalar)
    }
    return String(kept) + "…"
  }
}
