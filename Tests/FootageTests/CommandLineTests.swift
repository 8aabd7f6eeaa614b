/// The commands next to the server: ingest, list and inspect, and the answers to wrong usage.
import FootageBase
import Foundation
import LinuxTestSupport
import Testing

@Suite struct CommandLineTests {
  @Test func `a URL answers on the running server as soon as ingest has ended`() throws {
    try withServer { server in
      for number in 1...5 {
        let file = server.folder.path("outside \(number).mp4")
        try FileManager.default.copyItem(atPath: try Fixtures.clip(), toPath: file)
        let outcome = try FootageProgram.command("ingest", "--recordings", server.recordings, file).run()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.lines == ["/recordings/outside%20\(number).mp4"])
        #expect(try server.status(try #require(outcome.lines.first)) == 200)
      }
      try eventually("all to be listed") { try server.list().count == 5 }
    }
  }

  @Test func `ingest brings the same file in once, and refuses another of that name`() throws {
    let folder = try TemporaryFolder()
    let recordings = folder.path("recordings")
    try FileManager.default.createDirectory(atPath: recordings, withIntermediateDirectories: true)
    let file = folder.path("x.mp4")
    try FileManager.default.copyItem(atPath: try Fixtures.clip(), toPath: file)
    for _ in 1...2 {
      let outcome = try FootageProgram.command("ingest", "--recordings", recordings, file).run()
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.output == "/recordings/x.mp4\n")
    }
    try FileManager.default.removeItem(atPath: file)
    try Fixtures.record(seconds: 1, to: file)
    let outcome = try FootageProgram.command("ingest", "--recordings", recordings, file).run()
    #expect(outcome.status == 1)
    #expect(
      outcome.errors
        == "footage: \(file) was not imported: x.mp4 is another recording with that name; rename one of them\n")
    #expect(FileManager.default.contentsEqual(atPath: try Fixtures.clip(), andPath: recordings + "/x.mp4"))
  }

  @Test func `ingest does not bring in what could not be served, and goes on with the others`() throws {
    let folder = try TemporaryFolder()
    let recordings = folder.path("recordings")
    try FileManager.default.createDirectory(atPath: recordings, withIntermediateDirectories: true)
    try Data("no video".utf8).write(to: URL(fileURLWithPath: folder.path("bad.mp4")))
    try FileManager.default.copyItem(atPath: try Fixtures.clip(), toPath: folder.path("good.mp4"))
    let outcome = try FootageProgram.command(
      "ingest", "--recordings", recordings, folder.path("bad.mp4"), folder.path("good.mp4"), folder.path("none.mp4")
    ).run()
    #expect(outcome.status == 1)
    #expect(outcome.output == "/recordings/good.mp4\n")
    #expect(outcome.errors.contains("bad.mp4 was not imported: this is not an MP4 file"))
    #expect(outcome.errors.contains("none.mp4"))
    #expect(!FileManager.default.fileExists(atPath: recordings + "/bad.mp4"))
  }

  @Test func `list shows a table, and with --json what the server shows`() throws {
    try withServer(recordings: ["front/x.mp4"]) { server in
      let table = try FootageProgram.command("list", "--recordings", server.recordings).run()
      #expect(table.status == 0, "\(table.errors)")
      #expect(table.lines.count == 2)
      #expect(table.lines[0].hasPrefix("NAME"))
      #expect(table.lines[1].hasPrefix("front/x "))
      #expect(table.lines[1].contains(" 0:08 "))
      #expect(table.lines[1].contains(" 320×240 "))
      #expect(table.lines[1].hasSuffix(" ready"))
      let json = try FootageProgram.command("list", "--recordings", server.recordings, "--json").run()
      // Each output begins with what it knows about the robot.
      let recordings = try #require(json.output.range(of: "\"recordings\":"))
      #expect(try server.get("/recordings").hasSuffix(json.output[recordings.lowerBound...]))
      let empty = try FootageProgram.command("list", "--recordings", server.folder.path("").appending("empty")).run()
      #expect(empty.status == 1)
      #expect(empty.errors.contains("cannot use the recordings folder"))
    }
  }

  @Test func `inspect looks into a file, good or bad, and says what is not there`() throws {
    let clip = try Fixtures.clip()
    let size = try Data(contentsOf: URL(fileURLWithPath: clip)).count
    let text = try FootageProgram.command("inspect", clip).run()
    #expect(text.status == 0)
    #expect(text.output.contains("\(size) bytes"))
    #expect(text.output.contains("ready: served with a preamble of "))
    #expect(text.output.contains("320×240"))
    let boxes = text.output.matches(of: /\x20\x20([a-z]{4})\n/).map { String($0.1) }
    #expect(boxes.filter { ["ftyp", "mdat", "moov"].contains($0) } == ["ftyp", "mdat", "moov"], "in file order")
    let json = try FootageProgram.command("inspect", clip, "--json").run()
    #expect(try JSONValue(parsing: json.output)["length"]?.integer() == size)
    let folder = try TemporaryFolder()
    try Data(contentsOf: URL(fileURLWithPath: clip)).prefix(size / 2).write(
      to: URL(fileURLWithPath: folder.path("cut.mp4")))
    let cut = try FootageProgram.command("inspect", folder.path("cut.mp4")).run()
    #expect(cut.output.contains("the recorder never finished this file, or a copy was cut short"), "\(cut.output)")
    let missing = try FootageProgram.command("inspect", "/nonexistent.mp4").run()
    #expect(missing.status == 1)
    #expect(missing.errors == "footage: cannot open /nonexistent.mp4: No such file or directory\n")
  }

  @Test func `inspect lists each sample, page after page, or the key frames alone`() throws {
    // Sound with a sample for each of its frames, which fills several pages.
    let file = try Zoo.path("pcm.mov")
    let listed = try FootageProgram.command("inspect", file, "--frames", "--json").run()
    #expect(listed.status == 0 && listed.errors.isEmpty, "\(listed.errors)")
    let report = try JSONValue(parsing: try FootageProgram.command("inspect", file, "--json").run().output)
    let tracks = try #require(report["tracks"]?.array)
    let counts = tracks.compactMap { (track: JSONValue) -> Int? in track["samples"]?.integer() }
    #expect(counts.count == 2 && counts[1] > 100_000)
    #expect(listed.lines.count == counts.reduce(0, +))
    // Each sample occurs once.
    var next = [0, 0]
    for line in listed.lines {
      let fields = line.split(separator: ",").prefix(2).compactMap { Int($0.split(separator: ":")[1]) }
      next[fields[0] - 1] += 1
      guard next[fields[0] - 1] != fields[1] else { continue }
      Issue.record("\(line) is not sample \(next[fields[0] - 1])")
      break
    }
    let keys = try FootageProgram.command("inspect", "--frames=key", file).run()
    #expect(keys.lines.count == 1 + 4 && keys.lines[1].hasPrefix("    1       1  I key "), "\(keys.output)")
    let refused = try FootageProgram.command("inspect", "--frames", "/etc/passwd").run()
    #expect(refused.status == 1 && refused.output.isEmpty && refused.errors.contains("this is not an MP4 file"))
  }

  @Test func `who has seen enough of a list ends it, without a word`() throws {
    let file = try Zoo.path("pcm.mov")
    // The signal has its default action, as in a shell, or is ignored.
    for start in ["", "trap '' PIPE; "] {
      let outcome = try Command(
        "bash",
        arguments: ["-c", "\(start)set -o pipefail; '\(FootageProgram.path)' inspect --frames '\(file)' | head -n 2"]
      ).run()
      #expect(outcome.lines.count == 2 && outcome.errors.isEmpty, "\(outcome.errors)")
      #expect([141, 1].contains(outcome.status), "\(outcome.status)")
    }
    // A disk without room must be reported.
    let full = try Command(
      "bash", arguments: ["-c", "'\(FootageProgram.path)' inspect --frames '\(file)' > /dev/full"]
    ).run()
    #expect(full.status == 1 && full.errors.contains("cannot write the list: No space left on device"))
  }

  @Test(arguments: [
    (["serve", "--port", "1"], "footage serve: there is no option --port\n"),
    (["serve", "extra"], "footage serve: 'extra' is one word too many\n"),
    (["serve", "--threads", "0"], "footage serve: --threads must be a number from 1 to "),
    (["serve", "--max-connections", "many"], "footage serve: --max-connections must be a number from 1 to 1000000"),
    (["serve", "--client-auth", "maybe"], "footage serve: --client-auth must be none, optional or require"),
    (["serve", "--log-level", "loud"], "footage serve: --log-level must be error, warning, info or debug"),
    (["serve", "--listen", "nowhere"], "footage serve: --listen: cannot use the address nowhere"),
    (["serve", "--recordings"], "footage serve: --recordings needs a value: --recordings DIR\n"),
    (["ingest"], "footage ingest: name the files to add\n"),
    (["inspect", "a", "b"], "footage inspect: name one file\n"),
    (
      ["inspect", "a", "--frames=b"], "footage inspect: use --frames for all samples, or --frames=key for key frames, "
    ),
    (["list", "--json=1"], "footage list: --json takes no value\n"),
    (["play"], "footage play: name a recording: footage list --robot shows them\n"),
    (
      ["cache", "dance"], "footage cache: there is no 'cache dance': use list, export, verify, keep, remove or clean\n"
    ),
    (["fetch"], "footage fetch: name the recordings (footage list --robot shows them), or give --all, "),
    (["fetch", "--state", "refused"], "footage fetch: --state can only be ready, not 'refused': "),
    (["list", "--robot", "a:b:c"], "footage list: 'a:b:c' is not a valid robot address: "),
    (["dance"], "footage: there is no command 'dance'\n"), ([], "footage: shows what a robot saw\n"),
    (["help", "dance"], "footage: there is no command 'dance'\n"),
  ])
  func `wrong usage is told with status 64`(arguments: [String], words: String) throws {
    let outcome = try Command(FootageProgram.path, arguments: arguments).run()
    #expect(outcome.status == 64)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.hasPrefix(words), "\(outcome.errors)")
    #expect(outcome.errors.contains("--help"))
  }

  @Test(arguments: ["serve", "ingest", "list", "inspect", "export", "pair", "fetch", "play", "cache"])
  func `each command explains itself`(command: String) throws {
    let outcome = try FootageProgram.command(command, "--help").run()
    #expect(outcome.status == 0)
    #expect(outcome.output.hasPrefix("usage: footage \(command) [OPTION]…"))
    #expect(outcome.errors.isEmpty)
  }

  @Test(arguments: ["serve", "list"])
  func `help with a command's name shows what the command says of itself`(command: String) throws {
    let outcome = try FootageProgram.command("help", command).run()
    #expect(outcome.status == 0)
    #expect(try outcome.output == FootageProgram.command(command, "--help").run().output)
    #expect(try FootageProgram.command("help").run().output == FootageProgram.command("--help").run().output)
  }

  @Test(arguments: ["--version", "version"])
  func `the version names the program, its commit, and what it is built of`(word: String) throws {
    let outcome = try FootageProgram.command(word).run()
    #expect(outcome.status == 0 && outcome.errors.isEmpty)
    let program = /footage [0-9]+\.[0-9]+\.[0-9]+ \(commit [0-9a-z-]+\)/
    let parts = /Swift [0-9]+\.[0-9]+, OpenSSL 3\.[0-9]+\.[0-9]+\S*, SQLite 3\.[0-9]+\.[0-9]+/
    try #require(outcome.lines.count == 2)
    #expect(outcome.lines[0].wholeMatch(of: program) != nil, "\(outcome.output)")
    #expect(outcome.lines[1].wholeMatch(of: parts) != nil, "\(outcome.output)")
  }

  @Test func `an option can be an environment variable, and the command line outranks it`() throws {
    let environment = ["FOOTAGE_RECORDINGS": "/nonexistent/variable"]
    let variable = try FootageProgram.command("list", environment: environment).run()
    #expect(variable.errors.contains("/nonexistent/variable"))
    let option = try FootageProgram.command(
      "list", "--recordings", "/nonexistent/option", environment: environment
    ).run()
    #expect(option.errors.contains("/nonexistent/option"))
    #expect(!option.errors.contains("variable"))
  }
}
