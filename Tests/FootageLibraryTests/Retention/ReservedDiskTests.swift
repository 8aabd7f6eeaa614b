/// Retention on an ext4 disk whose reserve for root is in use, for a user who may mount one.

import Foundation
import FootageSystem
import LinuxTestSupport
import Testing

@testable import FootageLibrary

/// A disk of 96 MiB in a file, of which a fifth is reserved for root.
final class ReservedDisk {
  let folder: TemporaryFolder
  var location: String { folder.path("disk") }

  init() throws {
    folder = try TemporaryFolder()
    let script = """
      PATH=$PATH:/usr/sbin:/sbin; cd "$1" && mkdir disk && truncate -s 96M image && mkfs.ext4 -q -m 20 image && \
      mount -o loop image disk
      """
    guard try run("bash", ["-c", script, "bash", folder.location]) == 0 else { throw CocoaError(.fileNoSuchFile) }
  }

  deinit { _ = try? run("umount", ["-l", location]) }

  /// Writes as root until no block is left.
  func fill() throws {
    _ = try run("dd", ["if=/dev/zero", "of=\(location)/fill", "bs=1M", "status=none"])
    _ = try run("dd", ["if=/dev/zero", "of=\(location)/rest", "bs=4096", "status=none"])
  }

  var space: FileSystemSpace? { try? FolderRoot(location).folder("").space() }

  static let canMount: Bool = getuid() == 0 && (try? ReservedDisk()) != nil
}

@Suite(
  .enabled(if: ReservedDisk.canMount, "an ext4 disk in a file can be mounted (root, a loop device, mkfs.ext4)"))
struct ReservedDiskTests {
  /// A recording of a bit more than a megabyte. A box that every reader skips follows it (ISO/IEC 14496-12 §8.1.2).
  private static let recording: [UInt8] = {
    var bytes = Samples.moovFirst
    bytes += [0x00, 0x10, 0x00, 0x08] as [UInt8]
    bytes += "free".utf8
    bytes += [UInt8](repeating: 0x55, count: 1 << 20)
    return bytes
  }()

  @Test func `what is deleted counts though nothing becomes available for a while, and goes on until there is room`()
    throws
  {
    let disk = try ReservedDisk()
    let state = try TemporaryFolder()
    for number in 10..<40 {
      try put(Self.recording, "\(disk.location)/\(number).mp4")
      try age("\(disk.location)/\(number).mp4", by: Double(200 - number) * 3_600)
    }
    _ = try DiskMarker.put(on: disk.location)
    try disk.fill()
    let full = try #require(disk.space)
    // More than ten recordings must be deleted before any space becomes available.
    #expect(full.freeBytes == 0 && full.isReserveInUse == (full.unusedBytes > 0))
    let fixture = try LibraryFixture(in: nil, state: state.path("state"), recordings: disk.location)
    try fixture.wait("all are ready") { $0.count == 30 && $0.recordings.allSatisfy { $0.state == .ready } }
    let worker = RetentionWorker(
      fixture.library.retentionAccess { false }, rules: RetentionRules(keepFree: .bytes(2_000_000)))
    // While only the superuser has room, the next turn follows at once. Some turns only check a disk that frees space
    // later.
    for _ in 0..<40 where disk.space?.freeBytes ?? 0 < 2_000_000 { _ = worker.turn() }
    #expect(disk.space?.freeBytes ?? 0 >= 2_000_000, "\(String(describing: disk.space)), \(fixture.log.all)")
    #expect(fixture.library.retention.failure == nil && !fixture.library.retention.isShort)
    // Only a few more recordings were deleted than necessary.
    #expect((12...28).contains(fixture.library.retention.deletedRecordings))
    fixture.library.stop()
  }
}
