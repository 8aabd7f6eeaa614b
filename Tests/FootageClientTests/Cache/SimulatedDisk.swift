/// A disk in memory that can lose power or fail at any call.

import FootageClient
import FootageSystem
import Synchronization
import LinuxTestSupport

/// A disk on which unsynced changes are lost, kept, or kept in part, as the seed decides.
final class SimulatedDisk: CacheFiles, Sendable {
  struct Inode: Sendable {
    var bytes: [UInt8] = []
    var durable: [UInt8] = []
    /// The writes since the last sync, in order.
    var writes: [(offset: Int, bytes: [UInt8])] = []
  }

  struct State: Sendable {
    var inodes: [Int: Inode] = [:]
    var names: [String: Int] = [:]
    var durableNames: [String: Int] = [:]
    var nextInode = 1
    /// The index after each of its transactions.
    var index: [[Int64: CacheRecord]] = [[:]]
    var nextID: Int64 = 1
    var isLocked = false
    /// True if the index is garbage, until it is removed.
    var isIndexDamaged = false
    /// The number of bytes that fit into files.
    var capacity = Int.max
    var callCount = 0
    var calls: [String] = []
    /// The number of the call from which on there is no power.
    var powerEnds = Int.max
    /// Returns the error that a call gets instead of being executed.
    var fault: (@Sendable (String) -> Errno?)?
  }

  let state: Mutex<State>

  init(_ state: sending State = State()) { self.state = Mutex(state) }

  /// Executes a call, unless the power is gone or the call is to fail.
  func call<Result>(_ name: String, _ path: String, _ body: (inout State) throws(StorageError) -> Result)
    throws(StorageError) -> Result
  {
    let error: StorageError? = state.withLock { state in
      state.callCount += 1
      if state.callCount > state.powerEnds { return StorageError(name, path, .system(.ioError)) }
      state.calls.append("\(name) \(path)")
      if let number = state.fault?("\(name) \(path)") { return StorageError(name, path, .system(number)) }
      return nil
    }
    if let error { throw error }
    var thrown: StorageError?
    let result = state.withLock { state -> Result? in
      do throws(StorageError) { return try body(&state) } catch {
        thrown = error
        return nil
      }
    }
    if let thrown { throw thrown }
    guard let result else { throw StorageError(name, path, .changed) }
    return result
  }

  func failing(_ fault: (@Sendable (String) -> Errno?)?) { state.withLock { $0.fault = fault } }

  var callCount: Int { state.withLock { $0.callCount } }

  /// Returns the disk as it would be found after a power cut at this moment.
  func afterPowerCut(_ random: inout SeededGenerator) -> SimulatedDisk {
    let old = state.withLock { $0 }
    var new = State()
    new.nextInode = old.nextInode
    new.nextID = old.nextID
    new.isIndexDamaged = old.isIndexDamaged
    new.capacity = old.capacity
    // Names are as they were before the last changes or after them; a rename is done completely or not at all.
    let renamed = Bool.random(using: &random)
    for name in Set(old.names.keys).union(old.durableNames.keys) {
      let inode = renamed ? old.names[name] : old.durableNames[name]
      if let inode { new.names[name] = inode }
    }
    new.durableNames = new.names
    for (number, inode) in old.inodes where new.names.values.contains(number) {
      var found = Inode(bytes: inode.durable)
      for write in inode.writes {
        switch Int.random(in: 0..<3, using: &random) {
        case 0: break
        case 1: Self.apply(write.offset, write.bytes, to: &found.bytes)
        default:
          // A torn write: the length grew, but only some of the bytes are there.
          let count = Int.random(in: 0...write.bytes.count, using: &random)
          Self.apply(
            write.offset,
            Array(write.bytes.prefix(count)) + Array(repeating: 0, count: write.bytes.count - count), to: &found.bytes)
        }
      }
      found.durable = found.bytes
      new.inodes[number] = found
    }
    // Only the last transactions are lost.
    let kept = Bool.random(using: &random) ? old.index.count : Int.random(in: 1...old.index.count, using: &random)
    new.index = Array(old.index.prefix(kept))
    return SimulatedDisk(new)
  }

  /// Returns the disk as the next process finds it after kill -9.
  func afterKill() -> SimulatedDisk {
    var new = state.withLock { $0 }
    new.isLocked = false
    new.powerEnds = .max
    new.callCount = 0
    new.calls = []
    new.fault = nil
    return SimulatedDisk(new)
  }

  static func apply(_ offset: Int, _ bytes: [UInt8], to content: inout [UInt8]) {
    if content.count < offset + bytes.count {
      content += Array(repeating: 0, count: offset + bytes.count - content.count)
    }
    content.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
  }

  /// Replaces a byte of a file with another one, as a damaged disk does.
  func damage(_ path: String, at offset: Int) {
    state.withLock { state in
      guard let number = state.names[path], var inode = state.inodes[number], offset < inode.bytes.count else { return }
      inode.bytes[offset] ^= 0x55
      if offset < inode.durable.count { inode.durable[offset] ^= 0x55 }
      state.inodes[number] = inode
    }
  }

  func content(_ path: String) -> [UInt8]? {
    state.withLock { state in state.names[path].flatMap { state.inodes[$0]?.bytes } }
  }

  var claims: [Int64: CacheRecord] { state.withLock { $0.index.last ?? [:] } }
  var paths: [String] { state.withLock { $0.names.keys.sorted() } }

  // MARK: CacheFiles

  func createFolder(_ path: String) throws(StorageError) { try call("mkdir", path) { _ in } }

  func names(in folder: String) throws(StorageError) -> [String] {
    try call("list", folder) { state in
      state.names.keys.filter { $0.hasPrefix(folder + "/") }.map { String($0.dropFirst(folder.count + 1)) }.sorted()
    }
  }

  func create(_ path: String) throws(StorageError) -> any CacheFile {
    try call("create", path) { state throws(StorageError) in
      guard state.names[path] == nil else { throw StorageError("create", path, .system(.alreadyExists)) }
      let number = state.nextInode
      state.nextInode += 1
      state.inodes[number] = Inode()
      state.names[path] = number
      return SimulatedFile(disk: self, inode: number, path: path, length: 0)
    }
  }

  func open(_ path: String) throws(StorageError) -> any CacheFile {
    try call("open", path) { state throws(StorageError) in
      guard let number = state.names[path] else { throw StorageError("open", path, .system(.notFound)) }
      return SimulatedFile(
        disk: self, inode: number, path: path, length: UInt64(state.inodes[number]?.bytes.count ?? 0))
    }
  }

  func openToRead(_ path: String) throws(StorageError) -> any CacheFile { try open(path) }

  func rename(_ path: String, to target: String) throws(StorageError) {
    try call("rename", path) { state throws(StorageError) in
      guard let number = state.names.removeValue(forKey: path) else {
        throw StorageError("rename", path, .system(.notFound))
      }
      state.names[target] = number
    }
  }

  func remove(_ path: String) throws(StorageError) {
    try call("remove", path) { state in
      state.names[path] = nil
      guard path.hasSuffix(".sqlite") else { return }
      state.index.append([:])
      state.isIndexDamaged = false
    }
  }

  func sync(folder: String) throws(StorageError) {
    try call("syncfolder", folder) { $0.durableNames = $0.names }
  }

  func lock(_ path: String) throws(StorageError) -> any CacheLock {
    try call("lock", path) { state throws(StorageError) in
      guard !state.isLocked else { throw StorageError("lock", path, .system(.wouldBlock)) }
      state.isLocked = true
    }
    return SimulatedLock(disk: self)
  }

  func openIndex(_ path: String) throws(SQLiteError) -> (any RangeIndex)? {
    let isDamaged: Bool
    do throws(StorageError) { isDamaged = try call("openindex", path) { $0.isIndexDamaged } } catch {
      throw SQLiteError(code: 10, message: "no power", sql: nil, path: path)
    }
    guard !isDamaged else {
      throw SQLiteError(code: 11, message: "database disk image is malformed", sql: nil, path: path)
    }
    return SimulatedIndex(disk: self)
  }

  func readIndex(_ path: String) throws(SQLiteError) -> [Int64: CacheRecord]? {
    do throws(StorageError) { return try call("readindex", path) { $0.isIndexDamaged ? [:] : $0.index.last } } catch {
      throw SQLiteError(code: 10, message: "no power", sql: nil, path: path)
    }
  }
}

final class SimulatedLock: CacheLock {
  let disk: SimulatedDisk

  init(disk: SimulatedDisk) { self.disk = disk }
  deinit { disk.state.withLock { $0.isLocked = false } }

  var isIntact: Bool { true }
}

struct SimulatedFile: CacheFile {
  let disk: SimulatedDisk
  let inode: Int
  let path: String
  let length: UInt64

  func read(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8] {
    try disk.call("read", path) { state throws(StorageError) in
      let bytes = state.inodes[inode]?.bytes ?? []
      guard offset <= UInt64(bytes.count), UInt64(count) <= UInt64(bytes.count) - offset else {
        throw StorageError("read", path, .endOfFile(offset: UInt64(bytes.count)))
      }
      return Array(bytes[Int(offset)..<(Int(offset) + count)])
    }
  }

  func readImmediately(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) -> Int { 0 }

  func write(_ bytes: [UInt8], _ part: Range<Int>, at offset: UInt64) throws(StorageError) {
    try disk.call("write", path) { state throws(StorageError) in
      guard var changed = state.inodes[inode] else { return }
      let named = Set(state.names.values)
      let used = state.inodes.reduce(0) { $0 + (named.contains($1.key) ? $1.value.bytes.count : 0) }
      let grows = max(0, Int(offset) + part.count - changed.bytes.count)
      guard grows == 0 || used + grows <= state.capacity else {
        throw StorageError("write", path, .system(.noSpaceLeft))
      }
      changed.writes.append((Int(offset), Array(bytes[part])))
      SimulatedDisk.apply(Int(offset), Array(bytes[part]), to: &changed.bytes)
      state.inodes[inode] = changed
    }
  }

  func sync() throws(StorageError) {
    try disk.call("sync", path) { state in
      guard let bytes = state.inodes[inode]?.bytes else { return }
      state.inodes[inode]?.durable = bytes
      state.inodes[inode]?.writes = []
    }
  }
}

/// An index that keeps the result of each transaction.
final class SimulatedIndex: RangeIndex {
  private let disk: SimulatedDisk

  init(disk: SimulatedDisk) { self.disk = disk }

  private func transaction<Result>(
    _ name: String, _ body: (inout [Int64: CacheRecord], inout Int64) -> Result
  ) throws(SQLiteError) -> Result {
    do throws(StorageError) {
      return try disk.call("index", name) { state in
        var records = state.index.last ?? [:]
        let result = body(&records, &state.nextID)
        state.index.append(records)
        return result
      }
    } catch {
      throw SQLiteError(code: 10, message: "no power", sql: nil, path: name)
    }
  }

  func load() throws(SQLiteError) -> [Int64: CacheRecord] { disk.claims }

  func insert(_ new: [CacheRecord]) throws(SQLiteError) -> [Int64] {
    try transaction("insert") { records, next in
      let ids = new.indices.map { next + Int64($0) }
      for (id, record) in zip(ids, new) { records[id] = record }
      next += Int64(new.count)
      return ids
    }
  }

  func add(
    _ fragments: [ChecksummedRange], insteadOf former: [ChecksummedRange], to id: Int64, durably: Bool
  ) throws(SQLiteError) {
    let starts = Set(former.map(\.range.lowerBound))
    try transaction("add") { records, _ in
      records[id]?.fragments.removeAll { starts.contains($0.range.lowerBound) }
      Self.put(fragments, &records, id)
    }
    if durably { makeDurable() }
  }

  /// Stores fragments. Each replaces the one that begins at the same offset.
  private static func put(_ fragments: [ChecksummedRange], _ records: inout [Int64: CacheRecord], _ id: Int64) {
    let starts = Set(fragments.map(\.range.lowerBound))
    let known = records[id]?.fragments.filter { !starts.contains($0.range.lowerBound) } ?? []
    records[id]?.fragments = (known + fragments).sorted { $0.range.lowerBound < $1.range.lowerBound }
  }

  func replace(_ fragments: [ChecksummedRange], by rests: [ChecksummedRange], of id: Int64) throws(SQLiteError) {
    let starts = Set(fragments.map(\.range.lowerBound))
    try transaction("unclaim") { records, _ in
      records[id]?.fragments.removeAll { starts.contains($0.range.lowerBound) }
      Self.put(rests, &records, id)
    }
    makeDurable()
  }

  /// Makes the current state durable, with all earlier transactions.
  private func makeDurable() { disk.state.withLock { $0.index.removeFirst($0.index.count - 1) } }

  func update(_ record: CacheRecord, _ id: Int64, durably: Bool) throws(SQLiteError) {
    try transaction("update") { records, _ in
      records[id]?.isKept = record.isKept
      records[id]?.lastUse = record.lastUse
      records[id]?.item = record.item
    }
    if durably { makeDurable() }
  }

  func remove(_ ids: [Int64]) throws(SQLiteError) {
    try transaction("remove") { records, _ in for id in ids { records[id] = nil } }
  }
}
