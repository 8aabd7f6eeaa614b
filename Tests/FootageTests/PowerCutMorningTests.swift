/// The output of `journalctl -p warning` that an operator reads on the morning after a power cut.
import Foundation
import LinuxTestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct PowerCutMorningTests {
  /// A disk of 72 MiB that is mounted over the recordings folder, removed and mounted again.
  private final class Disk {
    let folder: TemporaryFolder
    private let recordings: String

    init() throws {
      folder = try TemporaryFolder()
      recordings = folder.path("recordings")
      for name in ["disk", "recordings"] {
        try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
      }
      _ = try Command("mount", "-t", "tmpfs", "-o", "size=72m", "tmpfs", folder.path("disk")).successfulOutput()
      try FileManager.default.createDirectory(atPath: folder.path("disk/recordings"), withIntermediateDirectories: true)
    }

    func mount() throws {
      _ = try Command("mount", "--bind", folder.path("disk/recordings"), recordings).successfulOutput()
    }

    /// Unmounts the disk. The child processes of a killed server end a moment after it.
    func unmount() throws {
      try eventually("nobody to be on the disk") { try Command("umount", recordings).run().succeeded }
    }

    /// Leaves less than 64 MiB free.
    func fill() throws {
      try Data(count: 12 << 20).write(to: URL(fileURLWithPath: folder.path("disk/filler")))
    }

    func makeRoom() throws { try FileManager.default.removeItem(atPath: folder.path("disk/filler")) }

    deinit {
      _ = try? Command("umount", recordings).run()
      _ = try? Command("umount", folder.path("disk")).run()
    }
  }

  private static let mayMount: Bool = {
    guard let folder = try? TemporaryFolder(),
      (try? Command("mount", "-t", "tmpfs", "tmpfs", folder.location).run().succeeded) == true
    else { return false }
    _ = try? Command("umount", folder.location).run()
    return true
  }()

  private func warnings(_ server: Server) -> [String] {
    server.lines(with: "Z warning: ").map { String($0.split(separator: "Z warning: ", maxSplits: 1)[1]) }
  }

  @Test(.enabled(if: mayMount, "disks can be mounted (root)"))
  func `warnings alone tell what happened, and when it was over`() throws {
    let disk = try Disk()
    try disk.mount()
    let arguments = ["--state", disk.folder.path("state"), "--name-zone", "UTC"]
    let evening = try Server(arguments, folder: disk.folder)
    try evening.addClip("front/2026-11-20T10-15-30.mp4")
    try evening.waitForState("ready", of: "front/2026-11-20T10-15-30")
    // The power fails in the middle of a recording.
    evening.kill()
    let clip = try Data(contentsOf: URL(fileURLWithPath: evening.file("front/2026-11-20T10-15-30.mp4")))
    try clip.prefix(clip.count / 2).write(to: URL(fileURLWithPath: evening.file("front/2026-11-20T10-16-30.mp4")))
    try disk.unmount()

    // In the morning the clock begins in 1970, and the disk is not there yet.
    let clock = disk.folder.path("clock")
    try FixedClock.set(clock, to: 90)
    let morning = try Server(arguments, folder: disk.folder, environment: try FixedClock.environment(file: clock))
    defer { morning.kill() }
    try morning.waitForLine(with: "clock-not-set: ")
    try morning.waitForLine(with: "1 recording disappeared with a file system")
    try disk.mount()
    try morning.waitForLine(with: "1 recording came back with a file system")
    try morning.waitForLine(with: "refused: front/2026-11-20T10-16-30.mp4")
    try disk.fill()
    try morning.waitForLine(with: "disk-full: ")
    try FixedClock.set(clock, to: Int(Date().timeIntervalSince1970))
    try morning.waitForLine(with: "clock-not-set: resolved")
    try disk.makeRoom()
    try morning.waitForLine(with: "disk-full: resolved")
    try morning.waitForState("ready", of: "front/2026-11-20T10-15-30")
    morning.signal(SIGTERM)
    #expect(try morning.waitForExit() == 0)

    // The whole story, and nothing else.
    let told: [Regex<Substring>] = [
      /1 recording disappeared with a file system: listed again when it returns/,
      /front\/2026-11-20T10-15-30 begins at .*, ahead of the clock: the clock is wrong, or .*/,
      /clock-not-set: The clock shows 1970-01-01T00:01:30Z, before this program was built: .*/,
      /the recordings folder .* is now on a different file system|1 recording came back with a file system/,
      /refused: front\/2026-11-20T10-16-30\.mp4: .*/,
      /disk-full: The recordings' disk is full, with \d+ MB free: delete recordings that are no longer needed\./,
      /clock-not-set: resolved/,
      /disk-full: resolved/,
    ]
    let lines = warnings(morning)
    for pattern in told {
      #expect(lines.contains { $0.wholeMatch(of: pattern) != nil }, "\(lines.joined(separator: "\n"))")
    }
    for line in lines {
      #expect(told.contains { line.wholeMatch(of: $0) != nil }, "\(line)")
    }
    #expect(lines.count <= told.count + 1, "\(lines.joined(separator: "\n"))")
  }
}
