internal import FootageBase

extension FilmPart {
  /// The most digits of a part's number.
  private static let longestNumber = 9

  /// - Parameters:
  ///   - path: the normalized path after the film's address and its slash.
  ///   - query: the query without its `?`; it is read only for `next`.
  /// - Throws: `ResourceError.unknownPath`, `.badQuery`.
  init(_ path: ArraySlice<UInt8>, _ query: ArraySlice<UInt8>?) throws(ResourceError) {
    if path.elementsEqual("next".utf8) {
      self = .next(after: try Self.cursor(try QueryParameters(query)))
    } else if let number = Self.number(in: path, between: "k", ".m4s") {
      self = .keyFrame(number)
    } else if let entry = Self.entry(in: path, behind: "video") {
      self = .videoInitialization(entry: entry)
    } else {
      let (sound, name) = try Self.sound(before: path)
      if let number = Self.number(in: name, between: "", ".m4s") {
        self = .segment(number, sound: sound)
      } else if let entry = Self.entry(in: name, behind: "init") {
        self = .initialization(entry: entry, sound: sound)
      } else {
        throw .unknownPath
      }
    }
  }

  /// The part of the target after the film's address and its slash.
  var suffix: String {
    switch self {
    case .initialization(let entry, let sound): "\(sound.folder)init\(entry == 0 ? "" : String(entry)).mp4"
    case .videoInitialization(let entry): "video\(entry == 0 ? "" : String(entry)).mp4"
    case .segment(let number, let sound): "\(sound.folder)\(number).m4s"
    case .keyFrame(let number): "k\(number).m4s"
    // Digits and hyphens need no escape in a query.
    case .next(let cursor): cursor.map { "next?after=\($0.text)" } ?? "next"
    }
  }

  /// Reads the folder before a part's name. A name without one is that of a part with its own sound.
  private static func sound(
    before path: ArraySlice<UInt8>
  ) throws(ResourceError) -> (sound: FilmSound, name: ArraySlice<UInt8>) {
    guard let slash = path.firstIndex(of: UInt8(ascii: "/")) else { return (.own, path) }
    guard let sound = FilmSound(name: String(decoding: path[..<slash], as: UTF8.self)) else { throw .unknownPath }
    return (sound, path[(slash + 1)...])
  }

  private static func cursor(_ parameters: QueryParameters) throws(ResourceError) -> FilmCursor? {
    guard let text = try parameters.single("after") else { return nil }
    guard let cursor = FilmCursor(text) else {
      throw .badQuery("The parameter after must be the value of Footage-Next in an earlier answer.")
    }
    return cursor
  }

  /// Returns the number of a sample entry. The first one is written without a number, so that each entry has only one
  /// name.
  private static func entry(in path: ArraySlice<UInt8>, behind prefix: String) -> Int? {
    if path.elementsEqual("\(prefix).mp4".utf8) { return 0 }
    return number(in: path, between: prefix, ".mp4").flatMap { $0 > 0 ? $0 : nil }
  }

  /// Returns a decimal number without leading zeros, so that each part has only one name.
  private static func number(
    in path: ArraySlice<UInt8>, between prefix: String, _ suffix: String
  ) -> Int? {
    guard path.starts(with: prefix.utf8), path.hasSuffix(suffix) else { return nil }
    let digits = path.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count)
    guard (1...longestNumber).contains(digits.count), digits.count == 1 || digits.first != UInt8(ascii: "0") else {
      return nil
    }
    var sum = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      sum = sum * 10 + Int(digit - UInt8(ascii: "0"))
    }
    return sum
  }
}
