/// The dates and the camera in the folders of a path.

/// The dates and the camera in the folders of a path. A folder that is a date is never the camera. Neither is a folder
/// above or below it that is a year, month, day, hour or minute.
struct FolderDates {
  /// The first folder whose name is not a date.
  private(set) var camera: ArraySlice<UInt8>?
  /// The day that the folders together specify; the last one if there are several.
  private(set) var day: CalendarDay?

  /// The precision of the date that the folders so far name.
  private enum Depth {
    case nothing
    case year(Int)
    case month(year: Int, month: Int)
    case day
    case hour
  }

  /// - Parameter name: the folders and the file's name, separated by `/`.
  init(_ name: [UInt8]) {
    var depth = Depth.nothing
    let folders = name.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropLast()
    for folder in folders where !read(folder, &depth) && camera == nil { camera = folder }
  }

  /// - Returns: true if the folder is a date, or part of one.
  private mutating func read(_ folder: ArraySlice<UInt8>, _ depth: inout Depth) -> Bool {
    var scanner = NameScanner(folder)
    if let day = CalendarDay(&scanner) {
      // `2026-11-20T10-00-00Z` is a date too; `2026-11-20_front` contains words.
      guard scanner.rest.allSatisfy(Self.standsInDates) else { return false }
      if scanner.isAtEnd { self.day = day }
      depth = .day
      return true
    }
    scanner = NameScanner(folder)
    if let year = scanner.number(digits: 4, CalendarDay.years) {
      if scanner.isAtEnd {
        depth = .year(year)
        return true
      }
      scanner.skip(oneOf: "-_.")
      guard let month = scanner.number(digits: 2, 1...12), scanner.isAtEnd else { return false }
      depth = .month(year: year, month: month)
      return true
    }
    return readPart(folder, &depth)
  }

  /// Reads a folder of one or two digits below a date as the next part of that date.
  private mutating func readPart(_ folder: ArraySlice<UInt8>, _ depth: inout Depth) -> Bool {
    guard (1...2).contains(folder.count) else { return false }
    var scanner = NameScanner(folder)
    switch depth {
    case .nothing: return false
    case .year(let year):
      guard let month = scanner.number(digits: folder.count, 1...12) else { return false }
      depth = .month(year: year, month: month)
    case .month(let year, let month):
      guard let number = scanner.number(digits: folder.count, 1...31),
        let day = CalendarDay(year: year, month: month, day: number)
      else { return false }
      self.day = day
      depth = .day
    case .day:
      guard scanner.number(digits: folder.count, 0...23) != nil else { return false }
      depth = .hour
    case .hour:
      guard scanner.number(digits: folder.count, 0...59) != nil else { return false }
    }
    return true
  }

  private static func standsInDates(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
      UInt8(ascii: ":"), UInt8(ascii: "+"), UInt8(ascii: " "), UInt8(ascii: "T"), UInt8(ascii: "t"),
      UInt8(ascii: "Z"), UInt8(ascii: "z"):
      true
    default: false
    }
  }
}
