/// A recording on its way into a file: `FILE.part`, with a map beside it that never claims what could be lost.

internal import Formats
internal import Storage
internal import System

/// An actor on a thread of its own, since everything it does may block.
actor PartialFile {
  private let target: String
  private let name: String
  private let part: String
  private let mapPath: String
  private let queue: WorkQueue
  private var file: WritableFile?
  private var version: RecordingVersion?
  /// What the map on disk says, in bytes.
  private var committed: UInt64 = 0
  private var checksums = PrefixChecksums()
  /// When it was written, on a clock that never goes back.
  private var commitTime: Int64 = 0

  /// Received bytes after which they are made durable, and the time after which fewer are: over a slow connection a
  /// killed run loses seconds, not minutes.
  private static let commitByteCount: UInt64 = 64 << 20
  private static let commitNanoseconds: Int64 = 2_000_000_000
  /// What is given up of a full disk, so that the map has room.
  private static let mapAllowance: UInt64 = 64 << 10
  /// A map has 17 bytes for each block.
  private static let longestMap: UInt64 = 16 << 20
  /// Of one read, in bytes.
  private static let readBytes: UInt64 = 1 << 18

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.asUnownedSerialExecutor() }

  init(_ name: String, to target: String) throws(RobotError) {
    self.name = name
    self.target = target
    part = target + ".part"
    mapPath = target + ".part.map"
    do throws(SystemError) { queue = try WorkQueue(name: "footage-file") } catch { throw .system(error.description) }
  }

  /// What an earlier run has left.
  struct Earlier: Sendable {
    let version: RecordingVersion
    /// The first bytes of it, as many.
    let received: UInt64
    /// Bytes among them that are not those that came.
    let damaged: [Range<UInt64>]
  }

  /// Opens the file, alone, and finds out what an earlier run has left: all of that is read, and compared with the checksums
  /// of what came. What a footage left that made none is taken as it is, and has some from now on.
  ///
  /// - Returns: nil where it is empty.
  func open() throws(RobotError) -> Earlier? {
    let earlier = try storing { () throws(StorageError) -> Earlier? in
      try expectReplaceable()
      let file = try openAlone()
      self.file = file
      commitTime = Clock.system.uptimeNanoseconds
      guard let map = try readMap(), map.name == name, try file.currentLength() >= map.received else {
        try startOver(nil)
        return nil
      }
      version = map.version
      committed = map.received
      do throws(StorageError) {
        return Earlier(version: map.version, received: map.received, damaged: try damaged(map, isPatient: false))
      } catch {
        // A disk that gives back nothing of what it was given has nothing to be taken up.
        try startOver(nil)
        return nil
      }
    }
    guard !Task.isCancelled else { throw .cancelled }
    return earlier
  }

  /// Writes bytes in the place of those that were damaged.
  func mend(_ bytes: [UInt8], at offset: UInt64) throws(RobotError) {
    try storing { () throws(StorageError) in try put(bytes, at: offset) }
  }

  /// Compares what is there once more.
  ///
  /// - Returns: whether all of it is what came.
  func isMended() throws(RobotError) -> Bool {
    try storing { () throws(StorageError) in
      try file?.sync()
      guard let map = try readMap() else { return false }
      return try damaged(map, isPatient: true).isEmpty
    }
  }

  /// Reads what is there of a version, and goes on with its checksums.
  ///
  /// - Parameter isPatient: whether it goes on where the task was cancelled.
  private func damaged(_ map: PartialFileMap, isPatient: Bool) throws(StorageError) -> [Range<UInt64>] {
    var damaged = RangeSet()
    checksums = PrefixChecksums()
    let reader = try RandomAccessFile(path: part)
    for block in map.checksums?.blocks(in: 0..<map.received) ?? [.init(range: 0..<map.received, checksum: 0)] {
      var checksum = RangeChecksum()
      var offset = block.range.lowerBound
      while offset < block.range.upperBound, isPatient || !Task.isCancelled {
        let count = min(Self.readBytes, block.range.upperBound - offset)
        let bytes = try reader.bytes(at: offset, count: Int(count))
        checksum.update(bytes)
        checksums.add(bytes)
        offset += count
      }
      if map.checksums != nil, checksum.value != block.checksum { damaged.insert(block.range) }
    }
    return damaged.ranges
  }

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
  static func isBegun(at target: String) -> Bool { FileTree.exists(target + ".part") }

  /// Drops everything: another version begins.
  func begin(_ version: RecordingVersion) throws(RobotError) {
    try storing { () throws(StorageError) in try startOver(version) }
  }

  /// Writes bytes of the version, and makes them durable every now and then.
  func write(_ bytes: [UInt8], at offset: UInt64) throws(RobotError) {
    try storing { () throws(StorageError) in
      try put(bytes, at: offset)
      let end = offset + UInt64(bytes.count)
      // The last byte may come twice.
      if offset == checksums.end { checksums.add(bytes) }
      if isCommitDue(end) { try commit(end) }
    }
  }

  private func put(_ bytes: [UInt8], at offset: UInt64) throws(StorageError) {
    guard let file else { return }
    // Safe because the array lends its storage for the call.
    unsafe try bytes.withUnsafeBufferPointer { (bytes) throws(StorageError) in
      unsafe try file.write(UnsafeRawBufferPointer(bytes), at: offset)
    }
  }

  private func isCommitDue(_ received: UInt64) -> Bool {
    guard received > committed else { return false }
    return received - committed >= Self.commitByteCount
      || Clock.system.uptimeNanoseconds - commitTime >= Self.commitNanoseconds
  }

  /// Leaves it for another run: the first `received` bytes, and no more.
  func leave(received: UInt64) throws(RobotError) {
    try storing { () throws(StorageError) in
      if received > 0, version != nil {
        try commitSomehow(received)
      } else {
        try startOver(nil)
        if file?.isInPlace == true { try FileTree.remove(part) }
      }
      file = nil
    }
  }

  /// All of the version is there: gives it its name, in place of what had it.
  func finish() throws(RobotError) {
    try storing { () throws(StorageError) in
      guard let file, let version else { return }
      let length = try file.currentLength()
      guard length >= version.length else { throw StorageError("finish", part, .endOfFile(offset: length)) }
      // What somebody else has put behind it is not the recording's.
      if length > version.length { try file.cut(to: version.length) }
      try file.sync()
      ExtendedAttribute.set(version.note(name: name), Self.noteName, of: file)
      try FileTree.rename(part, replacing: target)
      try FileTree.sync(folder: FileTree.folder(of: target))
      try FileTree.remove(mapPath)
      self.file = nil
    }
  }

  // MARK: Files

  private static let noteName = "version"

  /// A rename would replace a device or a link by the file: `-o /dev/null` is no way to lose that.
  private func expectReplaceable() throws(StorageError) {
    do throws(StorageError) {
      let kind = try FileStatus.of(target).kind
      guard kind != .regular else { return }
      throw StorageError("replace", target, .wrongKind(kind == .folder ? "a folder" : "not a regular file"))
    } catch {
      guard error.reason == .system(.notFound) else { throw error }
    }
  }

  private func openAlone() throws(StorageError) -> WritableFile {
    while true {
      let file: WritableFile
      do throws(StorageError) {
        file = try WritableFile(path: part, .existing)
      } catch {
        guard error.reason == .system(.notFound) else { throw error }
        do throws(StorageError) {
          file = try WritableFile(path: part, .new, mode: 0o666)
        } catch {
          guard error.reason == .system(.alreadyExists) else { throw error }
          continue
        }
      }
      try file.lock()
      // Whoever held it before may have finished, and given it its name.
      if file.isInPlace { return file }
    }
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

  /// The map goes first: it must not vouch for what comes next.
  private func startOver(_ version: RecordingVersion?) throws(StorageError) {
    try FileTree.remove(mapPath)
    try FileTree.sync(folder: FileTree.folder(of: target))
    try file?.empty()
    committed = 0
    checksums = PrefixChecksums()
    self.version = version
  }

  /// The bytes go first: the map must not vouch for what is not there.
  private func commit(_ received: UInt64) throws(StorageError) {
    guard let version, let file, received != committed else { return }
    // Of an answer that was void less is left than came.
    if checksums.end != received {
      _ = try damaged(PartialFileMap(name: name, version: version, received: received), isPatient: true)
    }
    try file.sync()
    let map = PartialFileMap(name: name, version: version, received: received, checksums: checksums.fragment)
    try FileTree.writeDurably(Array(map.text.utf8), to: mapPath)
    committed = received
    commitTime = Clock.system.uptimeNanoseconds
  }

  /// Where there is no room left, not even for the map, the last of the bytes make some.
  private func commitSomehow(_ received: UInt64) throws(StorageError) {
    do throws(StorageError) { try commit(received) } catch {
      guard error.reason == .system(.noSpaceLeft) || error.reason == .system(.diskQuotaExceeded) else { throw error }
      // What was committed stays: there its map is already.
      let rest = max(received - min(received, Self.mapAllowance), min(committed, received))
      try file?.cut(to: rest)
      if rest > 0 { try commit(rest) } else { try startOver(nil) }
    }
  }

  private func storing<Result>(_ body: () throws(StorageError) -> Result) throws(RobotError) -> Result {
    do throws(StorageError) { return try body() } catch {
      if error.reason == .system(.wouldBlock), error.path == part {
        throw .file("\(target) is being fetched by another process: let it finish, or fetch into another file")
      }
      throw .file(error.description)
    }
  }
}
