/// Deletion with a power cut between any two steps, with a full disk, and with people who protect recordings and
/// recorders that reuse names meanwhile.

import FootageBase
import FootageSystem
import LinuxTestSupport
import Testing

@testable import FootageLibrary

/// A folder in memory. After a crash it has the changes that were synced, and the first few of those that were not.
private final class CrashingFolder: RemovalFiles {
  struct File: Hashable {
    var version: FileVersion
    var isKept = false
    var content: Int
  }

  struct Crash: Error {}

  /// The files by inode.
  var files: [UInt64: File] = [:]
  /// The names that every process sees. `durable` has those that a power cut leaves at least.
  private(set) var names: [RelativePath: UInt64] = [:]
  private var durable: [RelativePath: UInt64] = [:]
  private var pending: [[RelativePath: UInt64]] = []
  /// The number of calls that are executed before the power is cut.
  var callsLeft = Int.max
  private(set) var isDown = false
  /// A closure that is called before each call.
  var beforeCall: (CrashingFolder) -> Void = { _ in }
  var failures: (String) -> Errno? = { _ in nil }
  private var nextInode: UInt64 = 1

  func put(_ path: RelativePath, content: Int, isKept: Bool = false, modified: Int64 = 0) {
    let inode = nextInode
    nextInode += 1
    files[inode] = File(
      version: FileVersion(device: 1, inode: inode, size: 10, modifiedNanoseconds: modified), isKept: isKept,
      content: content)
    change { $0[path] = inode }
  }

  private func change(_ body: (inout [RelativePath: UInt64]) -> Void) {
    body(&names)
    pending.append(names)
  }

  func settle() {
    durable = names
    pending = []
  }

  /// Protects a recording as a command next to the server does: a mark counts only while the file still has its name.
  func keep(_ path: RelativePath) -> Bool {
    guard let inode = names[path] else { return false }
    files[inode]?.isKept = true
    return names[path] == inode
  }

  /// - Parameter count: the number of unsynced changes that exist after the start.
  func powerUp(_ count: Int) {
    names = count == 0 || pending.isEmpty ? durable : pending[min(count, pending.count) - 1]
    settle()
    (isDown, callsLeft, beforeCall, failures) = (false, .max, { _ in }, { _ in nil })
  }

  var pendingCount: Int { pending.count }

  private func call(_ what: String, _ path: RelativePath) throws(StorageError) {
    guard !isDown, callsLeft > 0 else {
      isDown = true
      throw StorageError(what, path.text, .system(.ioError))
    }
    callsLeft -= 1
    beforeCall(self)
    if let failure = failures(what) { throw StorageError(what, path.text, .system(failure)) }
  }

  func status(of path: RelativePath) throws(StorageError) -> RemovalFacts? {
    try call("look", path)
    return names[path].flatMap { files[$0] }.map { RemovalFacts(version: $0.version, linkCount: 1) }
  }

  func obstacle(at path: RelativePath) throws(StorageError) -> RemovalObstacle? {
    try call("ask", path)
    guard let inode = names[path] else { throw StorageError("open", path.text, .system(.notFound)) }
    return files[inode]?.isKept == true ? .kept : nil
  }

  func rename(_ path: RelativePath, to target: RelativePath) throws(StorageError) {
    try call("rename", path)
    guard let inode = names[path] else { throw StorageError("rename", path.text, .system(.notFound)) }
    guard names[target] == nil else { throw StorageError("rename", path.text, .system(.alreadyExists)) }
    change {
      $0[path] = nil
      $0[target] = inode
    }
  }

  func remove(_ path: RelativePath) throws(StorageError) {
    try call("delete", path)
    change { $0[path] = nil }
  }

  func sync(_ folder: RelativePath) throws(StorageError) {
    try call("sync", folder)
    settle()
  }

  var contents: [Int: Bool] {
    Dictionary(names.compactMap { files[$0.value] }.map { ($0.content, $0.isKept) }) { $0 || $1 }
  }
}

@Suite struct RecordingRemovalTests {
  private static let crashes: UInt64 = TestRun.isSoaking ? 100_000 : 10_000

  private func path(_ number: Int) -> RelativePath { RelativePath("front/\(number).mp4") }

  private func decided(_ path: RelativePath, _ folder: CrashingFolder) throws -> RetentionCandidate {
    let version = try #require(folder.names[path].flatMap { folder.files[$0] }).version
    return RetentionScene.recording("x", ago: 0) { ($0.version, $0.path) = (version, path) }
  }

  @Test func `10,000 crashes and full disks between any two steps delete nothing else and lose no protection`() throws {
    let first = TestRun.seed(of: "removals")
    var (removed, spared, leftovers) = (0, 0, 0)
    for number in 0..<Self.crashes {
      let seed = first &+ number
      var generator = SeededGenerator(seed: seed)
      let folder = CrashingFolder()
      for number in 0..<4 { folder.put(path(number), content: number, isKept: number == 3) }
      folder.settle()
      let victims = try (0..<2).map { try decided(path($0), folder) }
      var protected: Set<Int> = [3]
      folder.callsLeft = Int.random(in: 0...14, using: &generator)
      let (keepAt, reuseAt) = (Int.random(in: 0...14, using: &generator), Int.random(in: 0...30, using: &generator))
      let failAt = Int.random(in: 0...30, using: &generator)
      let failure = [Errno.noSpaceLeft, .ioError, .permissionDenied][Int.random(in: 0..<3, using: &generator)]
      var count = 0
      folder.beforeCall = { folder in
        // A person protects the second recording, and a recorder puts another file in the first one's place.
        if count == keepAt, folder.keep(path(1)) { protected.insert(1) }
        if count == reuseAt {
          folder.put(path(0), content: 10, modified: 5)
          folder.settle()
        }
        count += 1
      }
      folder.failures = { _ in count == failAt ? failure : nil }
      let removal = RecordingRemoval(files: folder)
      for victim in victims {
        guard (try? removal.check(victim)) == .some(.none) else { continue }
        switch try? removal.remove(victim) {
        case .removed: removed += 1
        case .spared, .renamed: spared += 1
        default: break
        }
        try? folder.sync(RelativePath("front"))
      }
      let isReplaced = folder.files.values.contains { $0.content == 10 }
      // The power returns, with a part of the unsynced changes.
      folder.powerUp(Int.random(in: 0...folder.pendingCount, using: &generator))
      for hidden in folder.names.keys where LeavingName.isHidden(FileTree.name(of: hidden.text)) {
        leftovers += 1
        try RecordingRemoval(files: folder).putBack(hidden)
      }
      let left = folder.contents
      #expect(left[2] != nil && left[3] == true, "seed \(seed)")
      for content in protected { #expect(left[content] == true, "seed \(seed): \(content) was protected") }
      #expect(!folder.names.keys.contains { LeavingName.isHidden(FileTree.name(of: $0.text)) }, "seed \(seed)")
      if isReplaced { #expect(left[10] != nil, "seed \(seed): what came later under the name") }
    }
    // The random schedule reaches all cases.
    #expect(removed > 1_000 && spared > 100 && leftovers > 100, "\(removed), \(spared), \(leftovers)")
  }

  @Test func `a file that was exchanged after the decision goes back`() throws {
    let folder = CrashingFolder()
    folder.put(path(0), content: 0)
    let victim = try decided(path(0), folder)
    folder.put(path(0), content: 1)
    #expect(try RecordingRemoval(files: folder).check(victim) == .spared("it is now a different file"))
    #expect(try RecordingRemoval(files: folder).remove(victim) == .spared("it is now a different file"))
    #expect(folder.contents.keys.sorted() == [1] && folder.names.keys.map(\.text) == ["front/0.mp4"])
  }

  @Test func `where the name is taken meanwhile it gets another one`() throws {
    let folder = CrashingFolder()
    folder.put(path(0), content: 0)
    let victim = try decided(path(0), folder)
    folder.put(path(0), content: 1)
    var count = 0
    folder.beforeCall = { folder in
      // This is after the rename.
      if count == 1 { folder.put(path(0), content: 2) }
      count += 1
    }
    let expected = RelativePath("front/0 (2).mp4")
    #expect(try RecordingRemoval(files: folder).remove(victim) == .renamed(expected, "it is now a different file"))
    #expect(folder.contents.keys.sorted() == [1, 2])
  }

  @Test func `a dot name is told from others, and leads back`() {
    let hidden = LeavingName.hidden(RelativePath("front/a b.mp4"))
    #expect(hidden.text == "front/.footage-leaving-a b.mp4" && LeavingName.own(hidden).text == "front/a b.mp4")
    #expect(!LeavingName.isHidden(".footage-leaving-") && !LeavingName.isHidden("a.mp4"))
    #expect(LeavingName.other(RelativePath("a.b/c.mp4"), 1).text == "a.b/c (2).mp4")
  }
}
