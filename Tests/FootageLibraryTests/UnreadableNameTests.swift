/// Files whose names are not UTF-8.

import FootageBase
import Foundation
import FootageSystem
import LinuxTestSupport
import Testing

@testable import FootageLibrary

@Suite struct UnreadableNameTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Creates an item below the folder, with the bytes of the path as they are.
  private func make(_ path: [UInt8], isFolder: Bool = false) throws {
    let whole = (Array("\(folder.location)/".utf8) + path + [0]).map { CChar(bitPattern: $0) }
    if isFolder {
      guard mkdir(whole, 0o755) == 0 else { throw CocoaError(.fileWriteUnknown) }
      return
    }
    let descriptor = open(whole, O_CREAT | O_WRONLY, 0o644)
    guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    try file.write(contentsOf: Data(Samples.moovLast))
    let past = [timespec(tv_sec: 1_700_000_000, tv_nsec: 0), timespec(tv_sec: 1_700_000_000, tv_nsec: 0)]
    guard futimens(descriptor, past) == 0 else { throw CocoaError(.fileWriteUnknown) }
    try file.close()
  }

  private func isRefused(_ name: [UInt8], _ snapshot: LibrarySnapshot) -> Bool {
    guard case .refused(let reason, _)? = snapshot.recording(named: NameBytes.text(name))?.state else { return false }
    return reason.contains("is not UTF-8")
  }

  @Test func `they are refused, each as itself, in folders of that kind as well`() throws {
    let names: [[UInt8]] = [[0xE9], [0xE8], Array("ok".utf8) + [0xFF]]
    for name in names { try make(name + Array(".mp4".utf8)) }
    try make([0xE9], isFolder: true)
    try make([0xE9] + Array("/x.mp4".utf8))
    let fixture = try LibraryFixture(in: folder)
    try fixture.wait("all are refused") { snapshot in
      (names + [[0xE9] + Array("/x".utf8)]).allSatisfy { isRefused($0, snapshot) }
    }
    #expect(fixture.library.snapshot.count == 4)
    // A file that is added while the folder is watched is refused, too.
    try make([0xEA] + Array(".mp4".utf8))
    try fixture.wait("the new one is refused") { isRefused([0xEA], $0) }
    // The same holds in a folder with such a name, old or new.
    try make([0xE9] + Array("/y.mp4".utf8))
    try fixture.wait("the one in an old folder is refused") { isRefused([0xE9] + Array("/y".utf8), $0) }
    try make([0xEB], isFolder: true)
    try make([0xEB] + Array("/z.mp4".utf8))
    try fixture.wait("the one in a new folder is refused") { isRefused([0xEB] + Array("/z".utf8), $0) }
    // Another scan gives the same result, and nothing is removed.
    fixture.library.withWorker { $0.scan(.root) }
    try fixture.wait("they are there still") { $0.count == 7 }
  }

  @Test func `making room neither counts nor deletes them`() throws {
    try make([0xE9] + Array(".mp4".utf8))
    try put(Samples.moovFirst, folder.path("a.mp4"))
    try age(folder.path("a.mp4"), by: 400_000)
    _ = try DiskMarker.put(on: folder.location)
    let fixture = try LibraryFixture(in: folder)
    try fixture.waitUntilReady("a")
    try fixture.wait("it is refused") { isRefused([0xE9], $0) }
    let candidates = fixture.library.withWorker { $0.retentionCandidates { _ in 0 } }
    #expect(candidates.map(\.name) == ["a"])
  }

  @Test func `one whose name is mended plays, and one that goes is gone`() throws {
    try make([0xE9] + Array(".mp4".utf8))
    try make([0xE8] + Array(".mp4".utf8))
    let fixture = try LibraryFixture(in: folder)
    try fixture.wait("both are refused") { isRefused([0xE9], $0) && isRefused([0xE8], $0) }
    func bytes(_ name: [UInt8]) -> [CChar] {
      (Array("\(folder.location)/".utf8) + name + [0]).map { CChar(bitPattern: $0) }
    }
    #expect(rename(bytes([0xE9] + Array(".mp4".utf8)), folder.path("mended.mp4")) == 0)
    #expect(unlink(bytes([0xE8] + Array(".mp4".utf8))) == 0)
    try fixture.waitUntilReady("mended")
    try fixture.wait("the others are gone") { $0.count == 1 }
  }
}
