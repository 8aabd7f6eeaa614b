internal import FootageBase
internal import FootageSystem

/// The file that a recording is fetched into: `FILE.part`, with a map beside it that never claims bytes that could be
/// lost.
///
/// It is an actor on the thread that also writes the file, since everything it does may block.
actor PartialFile: VersionStore {
  private let target: String
  private let name: String
  private let part: String
  private let mapPath: String
  nonisolated let disk: CacheDisk
  nonisolated let syncer: CacheDisk
  private var file: WritableFile?
  private var version: RecordingVersion?
  /// The number of synced bytes, counted from the file's beginning.
  private var received: UInt64 = 0
  /// The checksums of the synced bytes, one for each block.
  private var blocks: [UInt64] = []
  /// The number of bytes that the map on disk claims.
  private var mapped: UInt64 = 0
  /// True if there may be a map on disk that claims bytes.
  private var mayClaim = true
  /// The identity of the map that was written last.
  private var ownMap: FileVersion.Identity?
  /// The ranges that differ from what was received. They must be fetched again.
  private var damaged = RangeSet()

  private static let blockBytes = PartialFileMap.blockBytes
  /// The number of bytes that are given up on a full disk, so that the map has room.
  private static let mapAllowance: UInt64 = 64 << 10
  /// The largest size of a map in bytes. A map has 17 bytes for each block.
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

  /// The bytes that an earlier run has stored.
  struct Earlier: Sendable {
    let version: RecordingVersion
    /// The number of bytes that were received, counted from the file's beginning.
    let received: UInt64
    /// The ranges of the received bytes that are intact.
    let kept: [ChecksummedRange]
  }

  /// Opens the file exclusively and determines what an earlier run has stored. All stored bytes are read, and compared
  /// with the checksums of the received bytes. Bytes from a version of Footage without checksums are accepted
  /// unchecked, and get checksums now.
  ///
  /// - Returns: nil if the file is empty.
  /// - Throws: `.file`, also if the partial file or its map is another program's file.
  func open() throws(RobotError) -> Earlier? {
    let earlier = try storing { () throws(StorageError) -> Earlier? in
      // `-o /dev/null` must not replace that device.
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
        // If the disk does not return what was written, there is nothing to continue from.
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

  /// The synced bytes with their checksums, as the map records them.
  private var claimed: ChecksummedRange {
    ChecksummedRange(0..<received, blockBytes: Self.blockBytes, checksums: blocks)
  }

  // MARK: Fetching

  /// Returns the file to write bytes to; nil if it is not open.
  func place() throws(RobotError) -> CachedVersion.Place? {
    try storing { () throws(StorageError) in
      guard let file else { return nil }
      return CachedVersion.Place(id: 0, file: try SystemCacheFile(writing: file))
    }
  }

  /// Returns the checksums for the next bytes. They include the last block if it is incomplete.
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

  /// Grants all bytes: a file that the user has named may use all room on the disk.
  func reserve(_ bytes: UInt64, atLeast needed: UInt64, for version: CachedVersion) -> Reservation {
    .granted(max(needed, version.version.length))
  }

  func giveUp(_ bytes: UInt64) -> Bool { false }

  func commit(_ received: [ReceivedRange], to version: CachedVersion) -> Claim {
    guard file != nil else { return .failed("\(part) was closed") }
    for block in received.flatMap(\.fragment.blocks) { take(block) }
    // A complete file needs no claim in the map: its final name claims all of it.
    guard self.received < version.version.length else { return .done(refused: []) }
    do throws(StorageError) { try writeMap() } catch { return .failed(FileFailure(error)) }
    return .done(refused: [])
  }

  /// Records the checksum of a block. A block before the last one was damaged and is being fetched again; until it is
  /// complete, a check still finds it damaged.
  private func take(_ block: ChecksummedRange.Block) {
    let index = Int(block.range.lowerBound / Self.blockBytes)
    guard index <= blocks.count else { return }
    if index < blocks.count { blocks[index] = block.checksum } else { blocks.append(block.checksum) }
    received = max(received, block.range.upperBound)
  }

  func unclaim(_ range: Range<UInt64>, of version: CachedVersion) -> [Range<UInt64>]? { [range] }

  func retire(_ version: CachedVersion) -> Bool { true }

  // MARK: Beginning and end

  /// Returns the version of the file that already has the target's name, if it is complete and unchanged since it was
  /// fetched; nil if that is unknown.
  func finishedVersion() -> RecordingVersion? { Self.finishedVersion(of: name, at: target) }

  static func finishedVersion(of name: String, at target: String) -> RecordingVersion? {
    ExtendedAttribute.text(noteName, at: target).flatMap { RecordingVersion(note: $0, name: name) }
  }

  /// Records the version of a file that was put at the target's path without being downloaded there.
  static func note(_ version: RecordingVersion, of name: String, at target: String) {
    guard let file = try? WritableFile(path: target, .existing) else { return }
    ExtendedAttribute.set(version.note(name: name), noteName, of: file)
  }

  /// Returns true if an earlier run, or another process, has begun to fetch into this file.
  func isBegun() -> Bool { Self.isBegun(at: target) }

  static func isBegun(at target: String) -> Bool {
    FileTree.exists(PartialFileName.part(of: target))
      && (try? owner(ofMap: PartialFileName.map(of: target))) == .footage
  }

  /// Discards everything, because a different version begins.
  func begin(_ version: RecordingVersion) throws(RobotError) {
    if file == nil { _ = try open() }
    try storing { () throws(StorageError) in try startOver(version) }
  }

  /// Keeps the synced bytes for another run, and no others.
  ///
  /// - Parameter end: the offset at which void bytes begin; nil if all bytes are valid.
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
        // The map goes last: without it, it would be unknown whose the file is.
        return try FileTree.remove(mapPath)
      }
      try file.cut(to: max(received, mapped))
      if received != mapped { try writeMapSomehow() }
    }
  }

  /// Removes the map of this process after another file has replaced the partial file. With a map beside it, the new
  /// file would be mistaken for a download. A map that another process has written for the new file stays.
  private func removeOwnMap() throws(StorageError) {
    guard let ownMap, (try? FileStatus.of(mapPath))?.version.identity == ownMap else { return }
    try FileTree.remove(mapPath)
  }

  /// Closes the file, so that other processes may use it.
  private func close() {
    file?.unlock()
    file = nil
  }

  /// Gives the complete file its final name, in place of any file that had it.
  func finish() throws(RobotError) {
    try storing { () throws(StorageError) in
      guard let file, let version else { return }
      guard file.isInPlace else { throw StorageError("finish", part, .changed) }
      let length = try file.currentLength()
      guard length >= version.length, received == version.length else {
        throw StorageError("finish", part, .endOfFile(offset: min(length, received)))
      }
      // Bytes that another program has appended are not part of the recording.
      if length > version.length { try file.cut(to: version.length) }
      try file.sync()
      ExtendedAttribute.set(version.note(name: name), Self.noteName, of: file)
      // Syncing may have taken long, so the file may have been replaced meanwhile.
      guard file.isInPlace else { throw StorageError("finish", part, .changed) }
      try FileTree.rename(part, replacing: target)
      try FileTree.sync(folder: FileTree.folder(of: target))
      try FileTree.remove(mapPath)
      close()
    }
  }

  // MARK: Files

  private static let noteName = "version"

  /// Checks that the file is a download of Footage's. Other programs, such as browsers, also call their downloads
  /// `FILE.part`, but a download of Footage's has its map beside it before its first byte.
  private func expectOwn() throws(StorageError) {
    switch try Self.owner(ofMap: mapPath) {
    case .footage: return
    case .nobody:
      throw notOwn(
        part, ", or is one that an earlier version stopped before it had a \(FileTree.name(of: mapPath))")
    case .somebody: throw notOwn(mapPath)
    }
  }

  private func notOwn(_ path: String, _ or: String = "") -> StorageError {
    StorageError(
      "write to", path, .wrongKind("not a Footage download\(or): move it away, or fetch into another file"))
  }

  private enum MapOwner { case footage, somebody, nobody }

  private static func owner(ofMap path: String) throws(StorageError) -> MapOwner {
    do throws(StorageError) {
      let map = try RandomAccessFile(path: path)
      let title = PartialFileMap.titlePrefix.utf8
      // A map that a power cut left empty has nothing to lose.
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
        // The map comes first: a file without one belongs to another program.
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
      // The process that held the lock before may have finished the file and given it its final name.
      if file.isInPlace { return (file, isNew) }
    }
  }

  /// Creates a map that claims nothing, unless a map exists.
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

  /// Empties the file and the map. The map is emptied first, because it must not claim the bytes that are written next.
  /// The empty map remains, and marks the file as Footage's.
  private func startOver(_ version: RecordingVersion?) throws(StorageError) {
    if mayClaim {
      do throws(StorageError) { try writeEmptyMap() } catch {
        guard error.isForLackOfRoom else { throw error }
        // A file that is shorter than its map claims is worthless, so its bytes are given up to make room.
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

  /// Writes the map. If there is no room even for the map, the last bytes of the file are given up for it.
  private func writeMapSomehow() throws(StorageError) {
    do throws(StorageError) { try writeMap() } catch {
      guard error.isForLackOfRoom else { throw error }
      // Committed bytes stay: the map already covers them.
      try shorten(to: max(received - min(received, Self.mapAllowance), min(mapped, received)))
      try file?.cut(to: received)
      if received == 0 { try startOver(nil) } else if received != mapped { try writeMap() }
    }
  }

  /// Reduces the received bytes to those before an end.
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
