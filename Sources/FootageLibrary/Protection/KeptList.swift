internal import FootageBase
internal import FootageSystem

/// A list of kept recordings on disk, as text with one line each, for files that cannot be marked themselves.
///
/// It is replaced as a whole, by one process at a time, so that a crash leaves either the old list or the new one.
/// Lines that this program does not understand stay as they are.
struct KeptList: Hashable, Sendable {
  /// The absolute path of the file.
  let path: String

  /// The contents of the list with the version of the file; nil if there is no such file.
  struct Content {
    var version: FileVersion?
    var lines: [KeptLine] = []
    /// The viewers who own lines; other lines belong to no particular viewer.
    var viewers: [KeptLine.Identity: String] = [:]
  }

  /// The present version of the file; nil if there is none. Calls `fstatat`.
  var version: FileVersion? { (try? FileStatus.of(path))?.version }

  /// - Throws: `StorageError` if it exists and cannot be read.
  func read() throws(StorageError) -> Content {
    let (version, texts) = try readTexts()
    let remarks = texts.compactMap { KeptLineRemark($0) }
    return Content(
      version: version, lines: texts.compactMap { KeptLine($0) },
      viewers: Dictionary(remarks.map { ($0.identity, $0.viewer) }, uniquingKeysWith: { first, _ in first }))
  }

  /// True if the file exists and contains only lines of such a list, and comments. Blocks.
  var hasForm: Bool {
    guard let (version, texts) = try? readTexts(), version != nil else { return false }
    return texts.allSatisfy { KeptLine($0) != nil || $0.utf8.first == UInt8(ascii: "#") }
  }

  /// Adds a line, durably. Blocks.
  func add(_ line: KeptLine, by keeper: Keeper = .anybody) throws(StorageError) {
    try edit { texts in
      guard !texts.contains(where: { KeptLine($0)?.identity == line.identity }) else { return false }
      texts.append(line.text)
      if let viewer = keeper.viewer { texts.append(KeptLineRemark(viewer: viewer, identity: line.identity).text) }
      return true
    }
  }

  /// Removes lines, durably; it is not an error if there are none. Blocks.
  ///
  /// - Returns: the number of lines removed.
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
        // Remove the remarks about a removed line, too.
        return KeptLineRemark(text).map { identities.contains($0.identity) } ?? false
      }
      return count > 0
    }
    return count
  }

  /// - Parameter change: returns whether it has changed the list.
  private func edit(_ change: (inout [String]) -> Bool) throws(StorageError) {
    let lock = try FileLock.ofFolder(FileTree.folder(of: path), within: LibraryLimits.keptLockPatience)
    var (_, texts) = try readTexts()
    if change(&texts) {
      try FileTree.writeDurably(Array(texts.map { "\($0)\n" }.joined().utf8), to: path)
    }
    // Hold the lock until here.
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

/// The two lists of a library, as they were last read.
struct KeptLists {
  /// The list at the top of the recordings folder, which moves with the disk.
  let inFolder: KeptList
  /// The list in the state folder that the operator named, even while a temporary folder replaces it, because earlier
  /// protections still apply.
  let inState: KeptList
  /// True if lines may be added to the list in the state folder. They may not be added while a temporary folder
  /// replaces the state folder, because the file with the list's name there may belong to another program.
  let stateLasts: Bool
  private var contents: [KeptList: KeptList.Content] = [:]
  private(set) var identities: Set<KeptLine.Identity> = []
  /// The sizes in all lines, so that files of other sizes need not be read.
  private(set) var sizes: Set<UInt64> = []

  init(_ place: LibraryPaths, stateLasts: Bool) {
    inFolder = KeptList(path: place.keptInFolder)
    inState = KeptList(path: place.keptInState)
    self.stateLasts = stateLasts
  }

  /// Forgets the list in the state folder, after another folder has replaced that folder.
  mutating func forgetState() {
    contents[inState] = nil
  }

  /// Returns the owner of a line.
  func keeper(of identity: KeptLine.Identity) -> Keeper {
    for list in all {
      if let viewer = contents[list]?.viewers[identity] { return .viewer(viewer) }
    }
    return .anybody
  }

  var all: [KeptList] { [inFolder, inState] }

  /// The lists to which lines may be added, in the order in which they are tried.
  var forAdding: [KeptList] { stateLasts ? all : [inFolder] }

  /// The lines of the list in the state folder.
  var linesOfState: [KeptLine] { contents[inState]?.lines ?? [] }

  private var lines: [KeptLine] { all.flatMap { contents[$0]?.lines ?? [] } }

  /// Reads the lists that have changed. A list that cannot be read keeps its former contents. The list in the state
  /// folder also keeps them while its file is missing: only this program removes lines, and it would leave an empty
  /// file.
  ///
  /// - Returns: the sizes of the recordings whose protection may have changed.
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
