internal import FootageBase
internal import FootageSystem

/// A list of kept recordings on disk: text, a line each, for what cannot carry its own mark.
///
/// Changed as a whole, by one process at a time: a crash leaves the old list or the new one. Lines that this program does
/// not understand stay as they are.
struct KeptList: Hashable, Sendable {
  /// Of the file, absolute.
  let path: String

  /// What was read of it, and which version of the file that was; nil where there is no such file.
  struct Content {
    var version: FileVersion?
    var lines: [KeptLine] = []
    /// Which viewer's a line is; the others are anybody's.
    var viewers: [KeptLine.Identity: String] = [:]
  }

  /// Which version of the file is there; nil for none. Calls `fstatat`.
  var version: FileVersion? { (try? FileStatus.of(path))?.version }

  /// - Throws: `StorageError` where it is there and cannot be read.
  func read() throws(StorageError) -> Content {
    let (version, texts) = try readTexts()
    let remarks = texts.compactMap { KeptLineRemark($0) }
    return Content(
      version: version, lines: texts.compactMap { KeptLine($0) },
      viewers: Dictionary(remarks.map { ($0.identity, $0.viewer) }, uniquingKeysWith: { first, _ in first }))
  }

  /// Whether it is there and all of it are lines of such a list, and remarks. Blocks.
  var hasForm: Bool {
    guard let (version, texts) = try? readTexts(), version != nil else { return false }
    return texts.allSatisfy { KeptLine($0) != nil || $0.utf8.first == UInt8(ascii: "#") }
  }

  /// Puts a line in, durably. Blocks.
  func add(_ line: KeptLine, by keeper: Keeper = .anybody) throws(StorageError) {
    try edit { texts in
      guard !texts.contains(where: { KeptLine($0)?.identity == line.identity }) else { return false }
      texts.append(line.text)
      if let viewer = keeper.viewer { texts.append(KeptLineRemark(viewer: viewer, identity: line.identity).text) }
      return true
    }
  }

  /// Takes lines out, durably; that there are none is fine. Blocks.
  ///
  /// - Returns: how many there were.
  @discardableResult
  func remove(where condition: (KeptLine) -> Bool) throws(StorageError) -> Int {
    var count = 0
    guard FileTree.exists(path) else { return 0 }
    try edit { texts in
      let gone = texts.compactMap { KeptLine($0) }.filter(condition)
      count = gone.count
      let identities = Set(gone.map(\.identity))
      texts.removeAll { text in
        if let line = KeptLine(text) { return condition(line) }
        // What was said of it goes along.
        return KeptLineRemark(text).map { identities.contains($0.identity) } ?? false
      }
      return count > 0
    }
    return count
  }

  /// - Parameter change: whether the list is another one afterwards.
  private func edit(_ change: (inout [String]) -> Bool) throws(StorageError) {
    let lock = try FileLock.ofFolder(FileTree.folder(of: path), within: LibraryLimits.keptLockPatience)
    var (_, texts) = try readTexts()
    if change(&texts) {
      try FileTree.writeDurably(Array(texts.map { "\($0)\n" }.joined().utf8), to: path)
    }
    // Held until here.
    withExtendedLifetime(lock) {}
  }

  private func readTexts() throws(StorageError) -> (version: FileVersion?, texts: [String]) {
    let file: RandomAccessFile
    do throws(StorageError) { file = try RandomAccessFile(path: path) } catch {
      guard error.reason == .system(.notFound) else { throw error }
      return (nil, [])
    }
    guard file.length <= LibraryLimits.keptListBytes else {
      throw StorageError("read", path, .wrongKind("longer than \(LibraryLimits.keptListBytes) bytes"))
    }
    let bytes = try file.bytes(at: 0, count: Int(file.length))
    let texts = bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    return (file.openingStatus.version, texts)
  }
}

/// Both lists of a library, as they were read last.
struct KeptLists {
  /// At the recordings folder's top, so that it goes with the disk.
  let inFolder: KeptList
  /// In the state folder that the operator has named, also while the state lies in a temporary folder: what was protected
  /// before is protected.
  let inState: KeptList
  /// Whether lines are added to that one: not while the state lies in a temporary folder, since what has the list's name
  /// may be somebody else's then.
  let stateLasts: Bool
  private var contents: [KeptList: KeptList.Content] = [:]
  private(set) var identities: Set<KeptLine.Identity> = []
  /// Of all lines, so that no other file's content is read.
  private(set) var sizes: Set<UInt64> = []

  init(_ place: LibraryPaths, stateLasts: Bool) {
    inFolder = KeptList(path: place.keptInFolder)
    inState = KeptList(path: place.keptInState)
    self.stateLasts = stateLasts
  }

  /// The state folder is another one now: what the one before held counts no more.
  mutating func forgetState() {
    contents[inState] = nil
  }

  /// Whose a line is.
  func keeper(of identity: KeptLine.Identity) -> Keeper {
    for list in all {
      if let viewer = contents[list]?.viewers[identity] { return .viewer(viewer) }
    }
    return .anybody
  }

  var all: [KeptList] { [inFolder, inState] }

  /// Those that take lines, in the order in which they are tried.
  var forAdding: [KeptList] { stateLasts ? all : [inFolder] }

  /// Of the list in the state folder.
  var linesOfState: [KeptLine] { contents[inState]?.lines ?? [] }

  private var lines: [KeptLine] { all.flatMap { contents[$0]?.lines ?? [] } }

  /// Reads what has changed. What cannot be read is as it was, and so is the list in the state folder while it is not
  /// there: nobody but this program takes lines out of that one, and it leaves an empty list.
  ///
  /// - Returns: the sizes of the recordings whose protection may be another one now.
  mutating func refresh(warn: (StorageError) -> Void) -> Set<UInt64> {
    let before = identities
    for list in all where contents[list] == nil || contents[list]?.version != list.version {
      if list == inState, list.version == nil, contents[list]?.lines.isEmpty == false { continue }
      do throws(StorageError) { contents[list] = try list.read() } catch { warn(error) }
    }
    identities = Set(lines.map(\.identity))
    sizes = Set(identities.map(\.size))
    return Set(before.symmetricDifference(identities).map(\.size))
  }
}
