internal import FootageBase
internal import FootageSystem

/// The names of the files of versions.
extension CacheStore {
  /// Returns the path of a version's file.
  func path(_ record: CacheRecord) -> String {
    path(record.stem, record.isComplete ? Self.completeEnding : Self.partEnding)
  }

  func path(_ stem: String, _ ending: String) -> String { "\(mediaFolder)/\(stem)\(ending)" }

  /// Returns the names that a version's files may have in the folder of the media.
  func fileNames(of record: CacheRecord) -> [String] {
    ([Self.partEnding, Self.completeEnding, Self.manifestEnding] + CacheCompanion.allCases.map(\.rawValue)).map {
      record.stem + $0
    }
  }

  enum ManifestState { case missing, current, stale }

  /// Brings a version's manifest and the name of its file up to date. Only a complete version is called `.mp4`, and its
  /// manifest is written before it gets that name.
  func reconcileName(_ record: CacheRecord, manifest: ManifestState) throws(StorageError) {
    if VersionManifest(record) != nil {
      // A recording gets its name even if the disk has no room for the manifest.
      if manifest != .current { try? writeManifest(of: record) }
    } else if manifest != .missing {
      try? files.remove(path(record.stem, Self.manifestEnding))
    }
    let wanted = record.stem + (record.isComplete ? Self.completeEnding : Self.partEnding)
    let name = fileName(record)
    guard name != wanted else { return }
    try files.rename("\(mediaFolder)/\(name)", to: "\(mediaFolder)/\(wanted)")
    try files.sync(folder: mediaFolder)
  }

  /// Returns the name of a version's file, which ends in `.part` or `.mp4`. A power cut, or damage found later, may
  /// have left a name that does not match the version's state.
  func fileName(_ record: CacheRecord) -> String {
    let complete = record.stem + Self.completeEnding
    do throws(StorageError) {
      _ = try files.openToRead("\(mediaFolder)/\(complete)")
      return complete
    } catch {
      // If the file exists but cannot be opened, the next attempt to open it has to report the reason.
      return error.reason == .system(.notFound) ? record.stem + Self.partEnding : complete
    }
  }

  /// Returns a name for a file: the last part of the recording's name, for people, and 64 random bits, which
  /// distinguish it from all others.
  static func stem(_ key: RecordingKey) -> String {
    let allowed = key.name.utf8.map { byte -> UInt8 in
      byte == UInt8(ascii: "/") || isLabelByte(byte) ? byte : UInt8(ascii: "_")
    }
    let last = allowed.suffix(while: { $0 != UInt8(ascii: "/") }).prefix(longestLabel)
    var number = ""
    // All but one in ten million numbers contain a letter.
    while !number.utf8.contains(where: isLetter) { number = String(UInt64.random(in: .min ... .max), radix: 36) }
    let zeros = String(repeating: "0", count: max(0, numberLength - number.utf8.count))
    return "\(String(decoding: last, as: UTF8.self))-\(zeros)\(number)"
  }

  /// The maximum length of the label in a file name, in bytes.
  private static let longestLabel = 80
  /// The length of 64 bits in base 36, with leading zeros. The first digit is at most 3.
  private static let numberLength = 13
  /// The length of the shortest number that is recognized. Earlier versions of Footage wrote no leading zeros, and
  /// shorter numbers are too rare to matter.
  private static let leastNumberLength = 11

  /// Returns true if a file of the cache can have this name: a label, a hyphen, a number and an ending. No other file
  /// is ever removed from the folder of the media.
  static func isOwn(_ name: String) -> Bool {
    let endings = [partEnding, completeEnding, manifestEnding, draftEnding] + CacheCompanion.allCases.map(\.rawValue)
    guard let ending = endings.first(where: { name.utf8.suffix($0.utf8.count).elementsEqual($0.utf8) }) else {
      return false
    }
    let stem = name.utf8.dropLast(ending.utf8.count)
    guard let hyphen = stem.lastIndex(of: UInt8(ascii: "-")) else { return false }
    let number = stem[hyphen...].dropFirst()
    let label = stem[..<hyphen]
    return label.count <= longestLabel && label.allSatisfy(isLabelByte) && isNumber(number)
  }

  private static func isLabelByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// Returns true if a text may be the number in a file name. Letters alone may be a word. Digits alone may be a time,
  /// which recorders and players put into file names. Nearly all of the cache's own numbers contain both.
  private static func isNumber(_ text: Substring.UTF8View) -> Bool {
    let isDigit: (UInt8) -> Bool = { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard (leastNumberLength...numberLength).contains(text.count), text.allSatisfy({ isDigit($0) || isLetter($0) }),
      text.contains(where: isLetter)
    else { return false }
    guard text.count == numberLength else { return text.contains(where: isDigit) }
    return text.first.map { (UInt8(ascii: "0")...UInt8(ascii: "3")).contains($0) } ?? false
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
}

extension [UInt8] {
  fileprivate func suffix(while condition: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let start = lastIndex { !condition($0) }.map { $0 + 1 } ?? startIndex
    return self[start...]
  }
}
