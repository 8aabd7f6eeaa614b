/// A recordings folder on exFAT via FUSE, as on the SD cards and USB disks of cameras: it has no links, and cannot name
/// a file without replacing another one.
import Foundation
import LinuxTestSupport
import Testing

@Suite struct ExFATTests {
  /// A file system in a file, which is mounted for as long as the object lives.
  final class Disk {
    let folder: TemporaryFolder
    var recordings: String { folder.path("disk/recordings") }

    init() throws {
      folder = try TemporaryFolder()
      // The file system's process continues to run with the descriptors that it inherits. They are closed here, because
      // otherwise the test would wait for that process, too.
      let script = """
        cd \(folder.location) && mkdir disk && truncate -s 64M image && mkfs.exfat image >/dev/null || exit 1
        for file in /proc/$$/fd/*; do [ "${file##*/}" -lt 3 ] || eval "exec ${file##*/}>&-"; done
        mount -t exfat-fuse -o loop image disk && mkdir disk/recordings
        """
      _ = try Command("bash", "-c", script, environment: ["PATH": path]).successfulOutput()
    }

    deinit { _ = try? Command("umount", folder.path("disk"), environment: ["PATH": path]).run() }

    private let path = (ProcessInfo.processInfo.environment["PATH"] ?? "") + ":/usr/sbin:/sbin"
  }

  static let mayMount: Bool = getuid() == 0 && (try? Disk()) != nil

  @Test(.enabled(if: mayMount, "exFAT by FUSE can be mounted (root, exfat-fuse, exfatprogs)"))
  func `ingest brings a file in, and leaves another of that name alone`() throws {
    let disk = try Disk()
    let file = disk.folder.path("x.mp4")
    try FileManager.default.copyItem(atPath: try Fixtures.clip(), toPath: file)
    for _ in 1...2 {
      let outcome = try FootageProgram.command("ingest", "--recordings", disk.recordings, file).run()
      #expect(outcome.status == 0 && outcome.output == "/recordings/x.mp4\n", "\(outcome.errors)")
    }
    #expect(FileManager.default.contentsEqual(atPath: file, andPath: disk.recordings + "/x.mp4"))
    try FileManager.default.removeItem(atPath: file)
    try Fixtures.record(seconds: 1, to: file)
    let outcome = try FootageProgram.command("ingest", "--recordings", disk.recordings, file).run()
    #expect(outcome.status == 1 && outcome.errors.contains("x.mp4 is another recording with that name"))
    #expect(FileManager.default.contentsEqual(atPath: try Fixtures.clip(), andPath: disk.recordings + "/x.mp4"))
    #expect(
      Set(try FileManager.default.contentsOfDirectory(atPath: disk.recordings)) == [".footage", "x.mp4"])
  }
}
