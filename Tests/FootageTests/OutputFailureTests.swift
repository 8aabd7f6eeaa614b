/// Results that cannot be written: the exit status reports that.

import Foundation
import LinuxTestSupport
import Testing

@Suite struct OutputFailureTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path("rec"), withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: try Fixtures.clip(), toPath: folder.path("rec/a.mp4"))
  }

  private func run(_ arguments: [String], into output: String) throws -> Command.Outcome {
    try Command(
      "sh", arguments: ["-c", "exec \"$0\" \"$@\" \(output)", FootageProgram.path] + arguments,
      environment: [
        "XDG_CONFIG_HOME": folder.path("config"), "XDG_CACHE_HOME": folder.path("cache"), "FOOTAGE_STATE": "",
      ]
    ).run()
  }

  /// Commands that succeed if their output can be written.
  private var commands: [[String]] {
    let recordings = ["--recordings", folder.path("rec")]
    return [
      ["--help"], ["--version"], ["help", "list"], ["help", "--man"], ["help", "--bash-completion"],
      ["list", "--help"],
      ["list"] + recordings, ["list", "--json"] + recordings, ["list", "--cameras"] + recordings,
      ["keep", "a"] + recordings, ["kept"] + recordings, ["release", "a"] + recordings,
      ["inspect", folder.path("rec/a.mp4")], ["inspect", "--json", folder.path("rec/a.mp4")],
      ["ingest", folder.path("rec/a.mp4")] + recordings, ["cache", "list"], ["cache", "list", "--json"],
      ["cache", "clean"],
    ]
  }

  @Test func `onto a full disk is exit 1, with the reason`() throws {
    for command in commands {
      #expect(try run(command, into: ">/dev/null").status == 0, "\(command)")
      let full = try run(command, into: ">/dev/full")
      #expect(full.status == 1, "\(command): \(full)")
      let words = "cannot write to standard output: No space left on device"
      #expect(full.errors.contains(words), "\(command): \(full.errors)")
    }
  }

  /// The lack of space for a file on another machine may be reported only when the file is closed.
  @Test func `onto a disk that says so at the end is exit 1`() throws {
    let output = folder.path("output")
    let disk = try FaultyDisk(folder.path("fault"), paths: output, calls: "close")
    let command = ["-c", "exec \"$0\" inspect \"$1\" >\"$2\"", FootageProgram.path, folder.path("rec/a.mp4"), output]
    #expect(try Command("sh", arguments: command, environment: disk.environment).run().succeeded)
    try disk.begin(EDQUOT)
    let outcome = try Command("sh", arguments: command, environment: disk.environment).run()
    #expect(outcome.status == 1, "\(outcome)")
    #expect(outcome.errors.contains("cannot write to standard output: Disk quota exceeded"), "\(outcome.errors)")
  }

  @Test func `into a stream that was closed before is exit 1, and no file gets its place`() throws {
    for command in [["list"], ["list", "--json"], ["inspect"]] {
      let operands =
        command == ["inspect"] ? [folder.path("rec/a.mp4")] : ["--recordings", folder.path("rec")]
      let closed = try run(command + operands, into: ">&-")
      #expect(closed.status == 1 && closed.errors.contains("Bad file descriptor"), "\(command): \(closed)")
    }
    // The catalog, which is opened first, is intact.
    #expect(try run(["list", "--recordings", folder.path("rec")], into: "").output.contains("\na "))
  }

  /// Runs a program whose output is a small nonblocking pipe, which is read slowly.
  private static let hurried = """
    import fcntl, os, subprocess, sys, time
    reader, writer = os.pipe()
    fcntl.fcntl(writer, 1031, 4096)
    fcntl.fcntl(writer, fcntl.F_SETFL, os.O_NONBLOCK)
    program = subprocess.Popen(sys.argv[1:], stdout=writer)
    os.close(writer)
    while True:
        time.sleep(0.01)
        some = os.read(reader, 1024)
        if not some:
            break
        sys.stdout.buffer.write(some)
    sys.exit(program.wait())
    """

  @Test func `into a pipe that nobody waits for all of it comes`() throws {
    let whole = try FootageProgram.command("help", "--man", "serve").run()
    let slow = try Command(
      "python3", arguments: ["-c", Self.hurried, FootageProgram.path, "help", "--man", "serve"]
    ).run()
    #expect(slow.succeeded && whole.output.utf8.count > 4096 && slow.output == whole.output, "\(slow.errors)")
  }

  @Test func `into a pipe that is closed is no failure of the command`() throws {
    let outcome = try Command(
      "sh",
      arguments: [
        "-c", "{ \"$0\" help --man; echo $? >\"$1\"; } | head -c 1 >/dev/null", FootageProgram.path,
        folder.path("status"),
      ]
    ).run()
    #expect(outcome.succeeded && !outcome.errors.contains("cannot write"), "\(outcome)")
  }
}
