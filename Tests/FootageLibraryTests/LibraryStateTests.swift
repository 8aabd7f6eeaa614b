/// The state that the library keeps between starts, and its behavior if it cannot keep any.

import Foundation
import FootageSystem
import Synchronization
import LinuxTestSupport
import Testing

@testable import FootageLibrary

@Suite struct LibraryStateTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Creates a library that a server left behind, with `a` (moov last) and `b` (moov first).
  func settled() throws -> LibraryPaths {
    try put(Samples.moovLast, folder.path("a.mp4"))
    try put(Samples.moovFirst, folder.path("b.mp4"))
    for name in ["a.mp4", "b.mp4"] { try age(folder.path(name), by: 100) }
    let fixture = try LibraryFixture(in: folder)
    try fixture.waitUntilReady("a")
    try fixture.waitUntilReady("b")
    fixture.library.stop()
    return fixture.library.place
  }

  @Test func `what is known is there at once at the next start, and nothing is indexed again`() throws {
    _ = try settled()
    let fixture = try LibraryFixture(in: folder, isStarted: false)
    #expect(fixture.states == ["a": "ready", "b": "ready"])
    #expect(try fixture.served("a").count == Samples.moovLast.count)
    try fixture.library.start { _ in }
    try put(Samples.moovLast, folder.path("c.mp4"))
    try fixture.waitUntilReady("c")
    let indexed = fixture.log.all.compactMap { if case .ready(let name, _, _, _, _) = $0 { name } else { nil } }
    #expect(indexed == ["c"])
    #expect(fixture.log.warnings == [])
  }

  @Test func `what changed while nobody looked is found at the next start`() throws {
    _ = try settled()
    try FileTree.remove(folder.path("a.mp4"))
    try put(Samples.other, folder.path("b.mp4"))
    try makeFolder(folder.path("cam"))
    try put(Samples.moovLast, folder.path("cam/c.mp4"))
    let fixture = try LibraryFixture(in: folder)
    try fixture.wait("the difference") {
      $0.count == 2 && $0.recording(named: "cam/c")?.state == .ready && (try? fixture.served("b").count) != nil
        && (try? fixture.served("b").count) == Samples.other.count
    }
    fixture.library.stop()
    // One preamble and one index for each of b and c.
    let names = try FolderListing.entries(of: fixture.library.place.heads).compactMap(\.name)
    #expect(names.count { $0.hasSuffix(".head") } == 2)
    #expect(names.count { $0.hasSuffix(".index") } == 2)
    #expect(names.count == 4)
  }

  @Test func `tags stay over a start, a rename and a rebuilt catalog`() throws {
    let place = try settled()
    func tags() throws -> [String?] {
      let fixture = try LibraryFixture(in: folder)
      try fixture.wait("both") { $0.recordings.count { $0.state == .ready } == 2 }
      defer { fixture.library.stop() }
      return fixture.library.snapshot.recordings.map(\.entityTag).sorted { $0 ?? "" < $1 ?? "" }
    }
    let before = try tags()
    try FileTree.removeFolder(place.state)
    try FileTree.rename(folder.path("a.mp4"), replacing: folder.path("z.mp4"))
    #expect(try tags() == before)
  }

  @Test(arguments: ["damaged", "missing", "cut"]) func `a bad preamble is made again`(how: String) throws {
    let place = try settled()
    let names = try FolderListing.entries(of: place.heads).compactMap(\.name)
    let preamble = "\(place.heads)/\(try #require(names.first { $0.hasSuffix(".head") }))"
    var bytes = try #require(contents(preamble))
    switch how {
    case "damaged":
      bytes[bytes.count / 2] ^= 1
      try put(bytes, preamble)
    case "cut": try put(Array(bytes.dropLast()), preamble)
    default: try FileTree.remove(preamble)
    }
    let fixture = try LibraryFixture(in: folder)
    // No request is needed: the preamble is rebuilt at once.
    try fixture.waitUntilReady("a")
    #expect(try fixture.served("a").count == Samples.moovLast.count)
    try fixture.wait("the preamble is good") { _ in (try? fixture["a"]?.open()) != nil }
  }

  @Test(arguments: [false, true]) func `a garbage catalog is one warning, and all is served`(isNewer: Bool) throws {
    let place = try settled()
    if isNewer {
      try Database(path: place.catalog).execute("PRAGMA user_version = 77")
    } else {
      try put(Array(repeating: 0xA5, count: 50_000), place.catalog)
    }
    let fixture = try LibraryFixture(in: folder)
    try fixture.waitUntilReady("a")
    try fixture.waitUntilReady("b")
    #expect(fixture.log.warnings.count == 1)
    fixture.library.stop()
    #expect(try Database(path: place.catalog).prepare("SELECT count(*) FROM recordings").integer() == 2)
    #expect(try Database(path: place.catalog).faults() == [])
  }

  @Test func `a catalog that is damaged inside is one warning, and all is served`() throws {
    let place = try settled()
    try Database(path: place.catalog).execute("PRAGMA wal_checkpoint(TRUNCATE)")
    var bytes = try #require(contents(place.catalog))
    for offset in 4_096..<bytes.count { bytes[offset] = 0xA5 }
    try put(bytes, place.catalog)
    let fixture = try LibraryFixture(in: folder)
    try fixture.waitUntilReady("a")
    try fixture.waitUntilReady("b")
    #expect(fixture.log.warnings.count == 1)
    fixture.library.stop()
    #expect(try Database(path: place.catalog).faults() == [])
  }

  /// Models a child process that a killed server had just started.
  @Test func `who holds the folder for a moment longer is waited for`() throws {
    let place = try settled()
    let holder = try RunningProgram(
      Command("flock", "--no-fork", place.lock, "sh", "-c", "echo held; exec sleep 600"))
    _ = try holder.waitForOutput("the lock") { $0.contains("held") ? () : nil }
    #expect(throws: StorageError.self) { try FileLock(path: place.lock) }
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(300)) { holder.kill() }
    let fixture = try LibraryFixture(in: folder)
    try fixture.waitUntilReady("a")
    fixture.library.stop()
  }

  @Test func `a second server on the folder is told, and a command is not`() throws {
    let first = try LibraryFixture(in: folder)
    let error = #expect(throws: LibraryError.self) { try LibraryFixture(in: folder) }
    #expect(error == .alreadyServed(folder: folder.location))
    #expect(error?.description.contains("is already served by another footage process") == true)
    _ = try LibraryFixture(in: folder, role: .command, isStarted: false)
    first.library.stop()
  }

  @Test func `a folder that is not there, or is none, is told`() throws {
    try put([], folder.path("file"))
    for path in ["no", "file"] {
      let error = #expect(throws: LibraryError.self) {
        try RecordingLibrary(recordings: folder.path(path), role: .server, reading: .inProcess) { _ in }
      }
      #expect(error?.description.hasPrefix("cannot use the recordings folder: cannot") == true)
    }
    try makeFolder(folder.path("locked"))
    chmod(folder.path("locked"), 0)
    withoutPrivileges {
      let error = #expect(throws: LibraryError.self) {
        try RecordingLibrary(recordings: folder.path("locked"), role: .server, reading: .inProcess) { _ in }
      }
      #expect(error?.description.contains("check the owner and mode") == true)
    }
  }

  @Test func `a folder that cannot be written is served out of a temporary one`() throws {
    chmod(folder.location, 0o555)
    defer { chmod(folder.location, 0o755) }
    try put(Samples.moovLast, folder.path("a.mp4"))
    chmod(folder.path("a.mp4"), 0o644)
    let state = try withoutPrivileges {
      let fixture = try LibraryFixture(in: folder, role: .command, isStarted: false)
      fixture.library.refresh()
      #expect(fixture.states == ["a": "ready"])
      #expect(try fixture.served("a").count == Samples.moovLast.count)
      #expect(fixture.log.warnings.count == 1)
      #expect(fixture.log.warnings.first?.contains("are kept in \(fixture.library.place.state)") == true)
      return fixture.library.place.state
    }
    #expect(try FolderListing.entries(of: folder.location).map(\.name) == ["a.mp4"])
    // The temporary folder is removed with the library.
    #expect(throws: StorageError.self) { try FileStatus.of(state) }
  }

  @Test func `a file that may not be read is refused, and served when it may`() throws {
    try put(Samples.moovFirst, folder.path("a.mp4"))
    try makeFolder(folder.path("cam"))
    chmod(folder.path("a.mp4"), 0)
    chmod(folder.path("cam"), 0)
    chmod(folder.location, 0o777)
    try withoutPrivileges {
      let fixture = try LibraryFixture(in: folder, role: .command, isStarted: false)
      fixture.library.refresh()
      #expect(fixture.reason("a")?.contains("ermission denied") == true)
      #expect(fixture.log.all.contains { "\($0)".hasPrefix("left out: cam: cannot list") })
    }
    chmod(folder.path("a.mp4"), 0o644)
    let fixture = try LibraryFixture(in: folder, role: .command, isStarted: false)
    fixture.library.refresh()
    #expect(fixture["a"]?.state == .ready)
  }

  @Test func `a folder that may not be read is not one that is gone`() throws {
    try put(Samples.moovFirst, folder.path("a.mp4"))
    chmod(folder.location, 0)
    defer { chmod(folder.location, 0o755) }
    let state = try TemporaryFolder()
    let fixture = try LibraryFixture(in: folder, state: state.location, role: .command, isStarted: false)
    withoutPrivileges { fixture.library.refresh() }
    #expect(fixture.log.warnings.contains { $0.contains("is not readable") && $0.contains("ermission denied") })
    #expect(!fixture.log.warnings.contains { $0.contains("gone") })
    fixture.library.refresh()
    #expect(fixture["a"]?.state == .ready && fixture.log.warnings.last?.hasSuffix("is back") == true)
  }

  @Test func `a change of mode alone is seen`() throws {
    // A recording that is refused for its mode is looked at again when the mode changes, although its version stays the
    // same.
    try put(Samples.moovFirst, folder.path("a.mp4"))
    let fixture = try LibraryFixture(in: folder)
    try fixture.waitUntilReady("a")
    let before = try #require(fixture["a"])
    try age(folder.path("a.mp4"), by: 50)
    try fixture.wait("a new version") { ($0.recording(named: "a")?.version ?? before.version) != before.version }
    try fixture.waitUntilReady("a")
  }

  @Test func `an overflow of the kernel's queue is made good by a scan`() throws {
    let fixture = try LibraryFixture(in: folder)
    try fixture.library.withWorker { worker in
      // The thread is blocked here while more events occur than the kernel's queue can hold.
      let limit =
        Int(
          String(decoding: contents("/proc/sys/fs/inotify/max_queued_events") ?? [], as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)) ?? 16_384
      for index in 0...(limit / 4) {
        for name in ["x", "y"] {
          let descriptor = open(folder.path("\(index % 2)\(name).tmp"), O_CREAT | O_WRONLY, 0o600)
          close(descriptor)
        }
        if index % 2 == 1 { for name in ["0x", "1x", "0y", "1y"] { unlink(folder.path("\(name).tmp")) } }
      }
      try put(Samples.moovLast, folder.path("a.mp4"))
      _ = worker
    }
    fixture.library.wake()
    try fixture.waitUntilReady("a")
    #expect(fixture.log.warnings.contains { $0.contains("more changes at once") })
  }

  @Test func `what the kernel did not tell is found by the next scan`() throws {
    try put(Samples.moovLast, folder.path("a.mp4"))
    let outside = try TemporaryFolder()
    let fixture = try LibraryFixture(in: folder)
    try fixture.waitUntilReady("a")
    // The file is written through another name, which causes no event.
    try FileTree.link(folder.path("a.mp4"), as: outside.path("other name"))
    let handle = try FileHandle(forWritingTo: URL(filePath: outside.path("other name")))
    try handle.write(contentsOf: Samples.other)
    try handle.truncate(atOffset: UInt64(Samples.other.count))
    try handle.close()
    let before = try #require(fixture["a"])
    fixture.move(seconds: 301)
    try fixture.wait("the new version") {
      $0.recording(named: "a")?.state == .ready && $0.recording(named: "a") !== before
    }
  }

  @Test func `a catalog that is full is one warning, and recordings are served all the same`() throws {
    let fixture = try LibraryFixture(in: folder)
    try fixture.library.withWorker { try $0.catalog.limit(pages: 1) }
    let outside = try TemporaryFolder()
    try put(Samples.moovLast, outside.path("x"))
    // More rows than fit into the existing pages.
    for index in 0..<100 { try FileTree.link(outside.path("x"), as: folder.path("\(index).mp4")) }
    try fixture.wait("all") { $0.recordings.count { $0.state == .ready } == 100 }
    #expect(try fixture.served("99").count == Samples.moovLast.count)
    #expect(fixture.log.warnings.count == 1)
    #expect(fixture.log.warnings.first?.contains("full") == true)
    try fixture.library.withWorker { try $0.catalog.limit(pages: 1_000) }
    fixture.move(seconds: 11)
    try fixture.wait("the rows are written") { _ in fixture.log.warnings.count == 2 }
    fixture.library.stop()
    let database = try Database(path: fixture.library.place.catalog)
    #expect(try database.prepare("SELECT count(*) FROM recordings").integer() == 100)
    #expect(try database.faults() == [])
  }

  @Test func `recordings whose preambles cannot be stored are served, and one warning says what is wrong`() throws {
    let fixture = try LibraryFixture(in: folder)
    let preambles = fixture.library.place.heads
    try FileTree.removeFolder(preambles)
    try put([], preambles)
    for index in 0..<20 { try put(Samples.moovLast, folder.path("\(index).mp4")) }
    try put(Samples.moovFirst, folder.path("b.mp4"))
    try fixture.wait("all are ready") { $0.recordings.count { $0.state == .ready } == 21 }
    #expect(try fixture.served("7").count == Samples.moovLast.count)
    fixture.move(seconds: 11)
    try put(Samples.moovLast, folder.path("more.mp4"))
    try fixture.waitUntilReady("more")
    #expect(fixture.log.warnings.count == 1)
    #expect(fixture.log.warnings.first?.contains("recordings are still served") == true)
    try FileTree.remove(preambles)
    try makeFolder(preambles)
    fixture.move(seconds: 11)
    // Copies that were written within one clock tick share a preamble.
    let tags = Set(fixture.library.snapshot.recordings.filter { $0.name != "b" }.compactMap { $0.content?.tag })
    try fixture.wait("the preambles are stored") { _ in
      let names = try? FolderListing.entries(of: preambles).compactMap(\.name)
      return names?.count { $0.hasSuffix(".head") } == tags.count
    }
    #expect(fixture.log.warnings.count == 2)
    #expect(fixture.log.warnings.last?.contains("is writable again") == true)
  }

  @Test func `many recordings are found at a start, and kept`() throws {
    for index in 0..<300 { try put(Samples.moovFirst, folder.path("\(index).mp4")) }
    try put(Samples.moovLast, folder.path("last.mp4"))
    do {
      let first = try LibraryFixture(in: folder)
      try first.wait("all") { $0.recordings.count { $0.state == .ready } == 301 }
    }
    let second = try LibraryFixture(in: folder, isStarted: false)
    #expect(second.library.snapshot.count == 301)
  }

  @Test func `changes are told in order, each at most once`() throws {
    let told = Mutex<[UInt64]>([])
    let fixture = try LibraryFixture(in: folder, isStarted: false)
    try fixture.library.start { snapshot in told.withLock { $0.append(snapshot.generation) } }
    for index in 0..<20 { try put(Samples.moovFirst, folder.path("\(index).mp4")) }
    try fixture.wait("all") { $0.recordings.count { $0.state == .ready } == 20 }
    fixture.library.stop()
    let generations = told.withLock { $0 }
    #expect(generations == generations.sorted())
    #expect(Set(generations).count == generations.count)
    #expect(generations.last == fixture.library.snapshot.generation)
  }

  @Test func `running out of descriptors takes nothing off the list`() async throws {
    try put(Samples.moovLast, folder.path("a.mp4"))
    let recordings = folder.location
    await #expect(processExitsWith: .success) { [recordings = recordings as String] in
      let library = try RecordingLibrary(recordings: recordings, role: .command, reading: .inProcess) { _ in }
      library.refresh()
      #expect(library.snapshot.recording(named: "a")?.state == .ready)
      var limit = rlimit(rlim_cur: 0, rlim_max: 1_024)
      #expect(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
      library.withWorker { $0.look(again: RelativePath("a.mp4")) }
      library.refresh()
      #expect(library.snapshot.recording(named: "a")?.state == .ready)
      limit.rlim_cur = 1_024
      #expect(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
      library.refresh()
      #expect(try library.open(#require(library.snapshot.recording(named: "a"))).isUnchanged())
    }
  }
}
