internal import FootageBase

/// A part of a film: what stands behind `/hls/KEY/` in a target.
package enum FilmPart: Hashable, Sendable {
  /// The initialization of all tracks, `init.mp4`; for further sample entries `init1.mp4` and on.
  ///
  /// - entry: of the picture's sample entries, from 0 on.
  case initialization(entry: Int)
  /// That of the picture's track alone, which the key frames need: `video.mp4`, `video1.mp4` and on.
  case videoInitialization(entry: Int)
  /// A media segment, from 0 on: `N.m4s`.
  case segment(Int)
  /// A key frame as a segment of one sample, from 0 on: `kN.m4s`.
  case keyFrame(Int)
  /// The whole fragments behind a place in a recording that grows: `next?after=CURSOR`; nil begins anew.
  case next(after: FilmCursor?)
}

/// A place in a recording that grows, as the robot that gave it has written it: an app hands it back as it is.
package struct FilmCursor: Hashable, Sendable {
  /// Digits and hyphens, 1 to 64 of them.
  package let text: String

  /// In characters.
  private static let longest = 64

  /// - Returns: nil where the text is empty, too long, or holds anything but digits and hyphens.
  package init?(_ text: some StringProtocol) {
    let isToken = text.utf8.allSatisfy {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-")
    }
    guard (1...Self.longest).contains(text.utf8.count), isToken else { return nil }
    self.text = String(text)
  }

  /// - Parameter number: not negative.
  package init(number: Int) { text = String(number) }
}

extension FilmPart {
  /// Of a part's number.
  private static let longestNumber = 9

  /// - Parameters:
  ///   - path: behind the film's key and its slash, normalized.
  ///   - query: without its `?`; read for `next` alone.
  /// - Throws: `ResourceError.unknownPath`, `.badQuery`.
  init(_ path: ArraySlice<UInt8>, _ query: ArraySlice<UInt8>?) throws(ResourceError) {
    if path.elementsEqual("next".utf8) {
      self = .next(after: try Self.cursor(try QueryParameters(query)))
    } else if let number = Self.number(in: path, between: "k", ".m4s") {
      self = .keyFrame(number)
    } else if let number = Self.number(in: path, between: "", ".m4s") {
      self = .segment(number)
    } else if let entry = Self.entry(in: path, behind: "init") {
      self = .initialization(entry: entry)
    } else if let entry = Self.entry(in: path, behind: "video") {
      self = .videoInitialization(entry: entry)
    } else {
      throw .unknownPath
    }
  }

  /// Behind the film's key and its slash.
  var suffix: String {
    switch self {
    case .initialization(let entry): "init\(entry == 0 ? "" : String(entry)).mp4"
    case .videoInitialization(let entry): "video\(entry == 0 ? "" : String(entry)).mp4"
    case .segment(let number): "\(number).m4s"
    case .keyFrame(let number): "k\(number).m4s"
    // Digits and hyphens stand in a query as they are.
    case .next(let cursor): cursor.map { "next?after=\($0.text)" } ?? "next"
    }
  }

  private static func cursor(_ parameters: QueryParameters) throws(ResourceError) -> FilmCursor? {
    guard let text = try parameters.single("after") else { return nil }
    guard let cursor = FilmCursor(text) else {
      throw .badQuery("The parameter after has to be the field Footage-Next of an earlier answer.")
    }
    return cursor
  }

  /// The first sample entry has no number: so each entry has one name.
  private static func entry(in path: ArraySlice<UInt8>, behind prefix: String) -> Int? {
    if path.elementsEqual("\(prefix).mp4".utf8) { return 0 }
    return number(in: path, between: prefix, ".mp4").flatMap { $0 > 0 ? $0 : nil }
  }

  /// Decimal, without leading zeros, so that each part has one name.
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
