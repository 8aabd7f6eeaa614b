internal import FootageBase
internal import FootageSystem

/// A recording on its way into a file: `FILE.part`, with a map beside it that never claims what could be lost.
///
/// An actor on the thread that also writes the file, since everything it does may block.
actor PartialFile: VersionStore {
  private let target: String
  private let name: String
  private let part: String
  private let mapPath: String
  nonisolated let disk: CacheDisk
  nonisolated let syncer: CacheDisk
  private var file: WritableFile?
  private var version: RecordingVersion?
  /// So many first bytes were synced.
  private var received: UInt64 = 0
  /// Of these, block by block.
  private var blocks: [UInt64] = []
  /// What the map on disk says, in bytes.
  private var mapped: UInt64 = 0
  /// True if there may be a map on disk that claims something.
  private var mayClaim = true
  /// The map that was written last.
  private var ownMap: FileVersion.Identity?
  /// Not those that came; they are to come again.
  private var damaged = RangeSet()

  private static let blockBytes = PartialFileMap.blockBytes
  /// What is given up of a full disk, so that the map has room.
  private static let mapAllowance: UInt64 = 64 << 10
  /// A map has 17 bytes for each block.
  private static let longestMap: UInt64 = 16 << 20

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe disk.unownedExecutor }

  init(_ name: String, to target: String) throws(RobotError) {
    self.name = name
    self.target = target
    part = PartialFileName.part(of: target)
    mapPath = PartialFileName.map(of: target)
    do throws(SystemError) {
      disk = try CacheDisk(threadName: "footage-file")
      syncer = try CacheDisk(threadName: "footage-sync")
    } catch { throw .system(SystemFailure(error)) }
  }

  /// What an earlier run has left.
  struct Earlier: Sendable {
    let version: RecordingVersion
    /// The first bytes of it, as many.
    let received: UInt64
    /// What of these is as it came.
    let kept: [ChecksummedRange]
  }

  /// Opens the file, alone, and finds out what an earlier run has left: all of that is read, and compared with the
  /// checksums of what came. What a footage left that made none is taken as it is, and has some from now on.
  ///
  /// - Returns: nil where it is empty.
  /// - Throws: `.file`, also where another program's file has one of the two names.
  func open() throws(RobotError) -> Earlier? {
    let earlier = try storing { () throws(StorageError) -> Earlier? in
      // `-o /dev/null` is no way to lose that.
      try FileTree.expectReplaceable(target)
      let (file, isNew) = try openAlone()
      do throws(StorageError) { if !isNew { try expectOwn() } } catch {
        file.unlock()
        throw error
      }
      self.file = file
      guard let map = try readMap(), map.name == name, map.received > 0, try file.currentLength() >= map.received
      else {
        try startOver(nil)
        return nil
      }
      do throws(StorageError) { return try compare(map) } catch {
        // A disk that gives back nothing of what it was given has nothing to be taken up.
        try startOver(nil)
        return nil
      }
    }
    guard !Task.isCancelled else { throw .cancelled }
    return earlier
  }

  private func compare(_ map: PartialFileMap) throws(StorageError) -> Earlier {
    let reader = try SystemCacheFile(reading: part)
    let whole = ChecksummedRange(
      0..<map.received, blockBytes: Self.blockBytes,
      checksums: Array(repeating: 0, count: Int((map.received - 1) / Self.blockBytes) + 1))
    var found: [UInt64] = []
    for block in whole.blocks where !Task.isCancelled {
      found.append(try CacheDisk.checksum(of: reader, block.range))
    }
    version = map.version
    received = map.received
    mapped = map.received
    blocks = map.checksums?.checksums ?? found
    for (index, checksum) in found.enumerated() where checksum != blocks[index] {
      damaged.insert(whole.blocks[index].range)
    }
    var kept = [claimed]
    for range in damaged.ranges { kept = kept.flatMap { $0.without(range) } }
    return Earlier(version: map.version, received: map.received, kept: kept)
  }

  /// What was synced, as the map has it.
  private var claimed: ChecksummedRange {
    ChecksummedRange(0..<received, blockBytes: Self.blockBytes, checksums: blocks)
  }

  // MARK: While it is fetched

  /// Where bytes are to be written.
  func place() throws(RobotError) -> CachedVersion.Place? {
    try storing { () throws(StorageError) in
      guard let file else { return nil }
      return CachedVersion.Place(id: 0, file: try SystemCacheFile(writing: file))
    }
  }

  /// With those of the last block, where it is to be gone on with.
  func checksums() throws(RobotError) -> ReceivedChecksums {
    var checksums = ReceivedChecksums(fragmentBytes: .max, blockBytes: Self.blockBytes)
    let start = received - received % Self.blockBytes
    guard start < received, damaged.end(from: start) == start else { return checksums }
    let bytes = try storing { () throws(StorageError) in
      try RandomAccessFile(path: part).bytes(at: start, count: Int(received - start))
    }
    checksums.put(checksums.growth(at: start, by: bytes, 0..<bytes.count))
    checksums.claimed(checksums.unclaimed)
    return checksums
  }

  /// A file of the user's has whatever room the disk has.
  func reserve(_ bytes: UInt64, atLeast needed: UInt64, for version: CachedVersion) -> Reservation {
    .granted(max(needed, version.version.length))
  }

  func giveUp(_ bytes: UInt64) -> Bool { false }

  func commit(_ received: [ReceivedRange], to version: CachedVersion) -> Claim {
    guard file != nil else { return .failed("\(part) was closed") }
    for block in received.flatMap(\.fragment.blocks) { take(block) }
    // Its name claims what is whole.
    guard self.received < version.version.length else { return .done(refused: []) }
    do throws(StorageError) { try writeMap() } catch { return .failed(FileFailure(error)) }
    return .done(refused: [])
  }

  /// A block in the middle is one that was damaged. Until all of it came again the next look finds it damaged still.
  private func take(_ block: ChecksummedRange.Block) {
    let index = Int(block.range.lowerBound / Self.blockBytes)
    guard index <= blocks.count else { return }
    if index < blocks.count { blocks[index] = block.checksum } else { blocks.append(block.checksum) }
    received = max(received, block.range.upperBound)
  }

  func unclaim(_ range: Range<UInt64>, of version: CachedVersion) -> [Range<UInt64>]? { [range] }

  func retire(_ version: CachedVersion) -> Bool { true }

  // MARK: Its beginning and its end

  /// The version that the file is which is there already, whole and as it was when it was fetched; nil where nobody
  /// knows.
  func finishedVersion() -> RecordingVersion? { Self.finishedVersion(of: name, at: target) }

  static func finishedVersion(of name: String, at target: String) -> RecordingVersion? {
    ExtendedAttribute.text(noteName, at: target).flatMap { RecordingVersion(note: $0, name: name) }
  }

  /// Notes which version a file is that was not fetched into its place.
  static func note(_ version: RecordingVersion, of name: String, at target: String) {
    guard let file = try? WritableFile(path: target, .existing) else { return }
    ExtendedAttribute.set(version.note(name: name), noteName, of: file)
  }

  /// Whether an earlier run, or another process, has begun to fetch into this file.
  func isBegun() -> Bool { Self.isBegun(at: target) }

  static func isBegun(at target: String) -> Bool {
    FileTree.exists(PartialFileName.part(of: target))
      && (try? owner(ofMap: PartialFileName.map(of: target))) == .footage
  }

  /// Drops everything: another version begins.
  func begin(_ version: RecordingVersion) throws(RobotError) {
    if file == nil { _ = try open() }
    try storing { () throws(StorageError) in try startOver(version) }
  }

  /// Leaves it for another run: what was synced, and no more.
  ///
  /// - Parameter end: what comes behind it is void; nil for none of it.
  func leave(upTo end: UInt64? = nil) throws(RobotError) {
    try storing { () throws(StorageError) in
      guard let file else { return }
      defer { close() }
      guard file.isInPlace else { return try removeOwnMap() }
      if let end { try shorten(to: end) }
      guard received > 0, version != nil else {
        try file.empty()
        (received, mapped, blocks, damaged, self.version) = (0, 0, [], RangeSet(), nil)
        try FileTree.remove(part)
        // The last to go: without it nobody would know whose the file is.
        return try FileTree.remove(mapPath)
      }
      try file.cut(to: max(received, mapped))
      if received != mapped { try writeMapSomehow() }
    }
  }

  /// Somebody has put another file in the place of this one. It must not be taken for a download, nor may the map go of
  /// another process that fetches into it.
  private func removeOwnMap() throws(StorageError) {
    guard let ownMap, (try? FileStatus.of(mapPath))?.version.identity == ownMap else { return }
    try FileTree.remove(mapPath)
  }

  /// Others may have it.
  private func close() {
    file?.unlock()
    file = nil
  }

  /// All of the version is there: gives it its name, in place of what had it.
  func finish() throws(RobotError) {
    try storing { () throws(StorageError) in
      guard let file, let version else { return }
      guard file.isInPlace else { throw StorageError("finish", part, .changed) }
      let length = try file.currentLength()
      guard length >= version.length, received == version.length else {
        throw StorageError("finish", part, .endOfFile(offset: min(length, received)))
      }
      // What somebody else has put behind it is not the recording's.
      if length > version.length { try file.cut(to: version.length) }
      try file.sync()
      ExtendedAttribute.set(version.note(name: name), Self.noteName, of: file)
      // To make it durable may have taken long.
      guard file.isInPlace else { throw StorageError("finish", part, .changed) }
      try FileTree.rename(part, replacing: target)
      try FileTree.sync(folder: FileTree.folder(of: target))
      try FileTree.remove(mapPath)
      close()
    }
  }

  // MARK: Files

  private static let noteName = "version"

  /// A browser, say, calls its own downloads `FILE.part` as well. A file that is a download of Footage's has its map
  /// beside it from before its first byte on.
  private func expectOwn() throws(StorageError) {
    switch try Self.owner(ofMap: mapPath) {
    case .footage: return
    case .nobody:
      throw notOwn(
        part, ", or one that was stopped before it had a \(FileTree.name(of: mapPath)), as of earlier versions")
    case .somebody: throw notOwn(mapPath)
    }
  }

  private func notOwn(_ path: String, _ or: String = "") -> StorageError {
    StorageError(
      "write to", path, .wrongKind("not a download of Footage's\(or): move it away, or fetch into another file"))
  }

  private enum MapOwner { case footage, somebody, nobody }

  private static func owner(ofMap path: String) throws(StorageError) -> MapOwner {
    do throws(StorageError) {
      let map = try RandomAccessFile(path: path)
      let title = PartialFileMap.titlePrefix.utf8
      // One that a power cut left empty holds nothing to be lost.
      guard map.length > 0 else { return .footage }
      guard map.length >= UInt64(title.count) else { return .somebody }
      return try map.bytes(at: 0, count: title.count).elementsEqual(title) ? .footage : .somebody
    } catch {
      switch error.reason {
      case .system(.notFound): return .nobody
      case .wrongKind: return .somebody
      default: throw error
      }
    }
  }

  private func openAlone() throws(StorageError) -> (file: WritableFile, isNew: Bool) {
    while true {
      let file: WritableFile
      var isNew = false
      do throws(StorageError) {
        file = try WritableFile(path: part, .existing)
      } catch {
        guard error.reason == .system(.notFound) else { throw error }
        // The map first: a file that is there without one is somebody else's.
        try makeMap()
        do throws(StorageError) {
          file = try WritableFile(path: part, .new, mode: 0o666)
          isNew = true
        } catch {
          guard error.reason == .system(.alreadyExists) else { throw error }
          continue
        }
      }
      try file.lock()
      // Whoever held it before may have finished, and given it its name.
      if file.isInPlace { return (file, isNew) }
    }
  }

  /// Makes a map that claims nothing, unless one is there.
  private func makeMap() throws(StorageError) {
    switch try Self.owner(ofMap: mapPath) {
    case .footage: return
    case .somebody: throw notOwn(mapPath)
    case .nobody: break
    }
    do throws(StorageError) {
      let map = try TemporaryFile(in: FileTree.folder(of: mapPath))
      try map.write(Array(PartialFileMap.empty.utf8))
      try map.sync()
      try map.rename(to: mapPath)
    } catch {
      // Another process was faster.
      guard error.reason == .system(.alreadyExists) else { throw StorageError("create", part, error.reason) }
      return
    }
    noteMap()
  }

  private func readMap() throws(StorageError) -> PartialFileMap? {
    do throws(StorageError) {
      let map = try RandomAccessFile(path: mapPath)
      guard map.length <= Self.longestMap else { return nil }
      return PartialFileMap(try map.bytes(at: 0, count: Int(map.length)))
    } catch {
      guard error.reason == .system(.notFound) else { throw error }
      return nil
    }
  }

  /// The map goes first: it must not vouch for what comes next. One that claims nothing stays, and says whose the file
  /// is.
  private func startOver(_ version: RecordingVersion?) throws(StorageError) {
    if mayClaim {
      do throws(StorageError) { try writeEmptyMap() } catch {
        guard error.isForLackOfRoom else { throw error }
        // A file that is shorter than its map claims is worth nothing, and its bytes make room.
        try file?.empty()
        try writeEmptyMap()
      }
      mayClaim = false
    }
    try file?.empty()
    received = 0
    blocks = []
    mapped = 0
    damaged = RangeSet()
    self.version = version
  }

  private func writeEmptyMap() throws(StorageError) {
    try FileTree.writeDurably(Array(PartialFileMap.empty.utf8), to: mapPath)
    noteMap()
  }

  private func writeMap() throws(StorageError) {
    guard let version else { return }
    let map = PartialFileMap(name: name, version: version, received: received, checksums: claimed)
    mayClaim = true
    try FileTree.writeDurably(Array(map.text.utf8), to: mapPath)
    noteMap()
    mapped = received
  }

  private func noteMap() { ownMap = (try? FileStatus.of(mapPath))?.version.identity }

  /// Where there is no room left, not even for the map, the last of the bytes make some.
  private func writeMapSomehow() throws(StorageError) {
    do throws(StorageError) { try writeMap() } catch {
      guard error.isForLackOfRoom else { throw error }
      // What was committed stays: there its map is already.
      try shorten(to: max(received - min(received, Self.mapAllowance), min(mapped, received)))
      try file?.cut(to: received)
      if received == 0 { try startOver(nil) } else if received != mapped { try writeMap() }
    }
  }

  /// Only so many first bytes are of use.
  private func shorten(to end: UInt64) throws(StorageError) {
    guard end < received else { return }
    let start = end - end % Self.blockBytes
    blocks.removeLast(blocks.count - Int(start / Self.blockBytes))
    if start < end { blocks.append(try CacheDisk.checksum(of: SystemCacheFile(reading: part), start..<end)) }
    received = end
  }

  private func storing<Result>(_ body: () throws(StorageError) -> Result) throws(RobotError) -> Result {
    do throws(StorageError) { return try body() } catch {
      if error.reason == .system(.wouldBlock), error.path == part {
        throw .file(
          FileFailure(
            .inUse, "\(target) is being fetched by another process: let it finish, or fetch into another file"))
      }
      throw .file(FileFailure(error))
    }
  }
}
