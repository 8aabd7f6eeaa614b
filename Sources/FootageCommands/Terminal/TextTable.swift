/// Columns of text below a line of titles, for a terminal or a file.
struct TextTable {
  struct Column {
    private let cells: [String]
    private let isNumber: Bool
    private let isSentence: Bool
    /// The widths of the title and of each cell, in columns of a terminal.
    let widths: [Int]
    /// The width of the column. Wider cells are shortened: names in the middle, because they differ at both ends, and
    /// sentences at the end.
    var width: Int

    init(_ title: String, _ cells: [String], isNumber: Bool = false, isSentence: Bool = false) {
      self.cells = [title] + cells
      self.isNumber = isNumber
      self.isSentence = isSentence
      widths = self.cells.map(ProgressLine.width)
      width = widths.max() ?? 0
    }

    fileprivate func text(_ row: Int) -> String {
      let cell =
        isSentence
        ? TextColumns.shortenedAtEnd(cells[row], to: width) : TextColumns.shortenedInMiddle(cells[row], to: width)
      let padding = String(repeating: " ", count: max(0, width - ProgressLine.width(cell)))
      return isNumber ? padding + cell : cell + padding
    }
  }

  var columns: [Column]

  /// The width of the table, including the gaps between the columns.
  var width: Int { columns.reduce(-Self.gap) { $0 + $1.width + Self.gap } }

  static let gap = 2

  /// The table as text: a line of titles, and a line for each row.
  var text: String {
    let count = columns.first?.widths.count ?? 0
    return (0..<count).map { row in
      let line = columns.map { $0.text(row) }.joined(separator: String(repeating: " ", count: Self.gap))
      return line.prefix(line.count - line.reversed().prefix { $0 == " " }.count) + "\n"
    }.joined()
  }
}
