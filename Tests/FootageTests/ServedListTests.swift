/// Commands that only read, with and without a server: the requests that they send, and the places where they write
/// nothing.

import Foundation
import LinuxTestSupport
import Testing

@Suite struct ServedListTests {
  let desk: TemporaryFolder

  init() throws { desk = try TemporaryFolder() }

  /// Returns the files below some folders, with the times of their last writes.
  private func files(_ folders: String...) throws -> [String: String] {
    var files: [String: String] = [:]
    for folder in folders {
      for name in (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? [] {
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
        files["\(folder)/\(name)"] = "\(attributes[.modificationDate] ?? "") \(attributes[.size] ?? "")"
      }
    }
    return files
  }

  private func footage(_ arguments: [String], _ variables: [String: String] = [:]) throws -> Command.Outcome {
    let environment = ["XDG_CACHE_HOME": desk.path("cache"), "XDG_CONFIG_HOME": desk.path("config"), "TZ": "UTC"]
    return try FootageProgram.command(arguments, environment: environment.merging(variables) { $1 }).run()
  }

  private var catalogs: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: desk.path("cache/footage/catalogs"))) ?? []
  }

  private static let recordings = ["front/2026-11-20T10-15-30.mp4", "rear/2026-11-20T10-15-31.mp4", "broken.mp4"]

  @Test func `a server is asked for the list of its folder, which looks as one that is made without it`() throws {
    let run = try TemporaryFolder()
    let variables = ["RUNTIME_DIRECTORY": run.location, "TZ": "UTC"]
    try withServer("--name-zone", "UTC", "--state-dir", run.path("state"), environment: variables) { server in
      for name in Self.recordings.dropLast() { try server.addClip(name) }
      try Data("broken".utf8).write(to: URL(fileURLWithPath: server.file("broken.mp4")))
      // Without a server the file is judged by its age.
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -3_600)], ofItemAtPath: server.file("broken.mp4"))
      try server.waitForState("ready", of: "front/2026-11-20T10-15-30")
      try server.waitForState("ready", of: "rear/2026-11-20T10-15-31")
      try server.waitForState("refused", of: "broken")
      let folder = ["--recordings", server.recordings]
      let before = try files(server.recordings, run.path("state"))
      let queries: [[String]] = [
        [], ["--json"], ["--cameras"], ["--cameras", "--json"], ["--state", "refused"], ["--camera", "rear", "--json"],
        ["--since", "2026-11-20 10:15:31", "--until", "2026-11-20 10:16", "--json"],
      ]
      for query in queries {
        let served = try footage(["list"] + folder + query, variables)
        #expect(served.succeeded, "\(query): \(served)")
        #expect(catalogs == [], "nothing was indexed: \(query)")
        let own = try footage(["list"] + folder + query + ["--state-dir", desk.path("own")], variables)
        #expect(served.output == own.output, "\(query)")
      }
      let typo = try footage(["list", "--camera", "reer"] + folder, variables)
      #expect(typo.status == 1 && typo.errors.contains("there is no camera 'reer'"), "\(typo)")
      // The server is not asked for another folder, or for names that are read in another way.
      #expect(try footage(["list", "--recordings", run.location], variables).succeeded && catalogs.count == 1)
      #expect(try footage(["list", "--name-zone", "Asia/Tokyo"] + folder, variables).succeeded && catalogs.count == 2)
      #expect(try files(server.recordings, run.path("state")) == before)
    }
  }

  @Test func `without a server nothing is written among the recordings`() throws {
    let folder = desk.path("rec")
    for name in Self.recordings.dropLast() {
      let path = "\(folder)/\(name)"
      try FileManager.default.createDirectory(
        atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path, withIntermediateDirectories: true)
      try FileManager.default.copyItem(atPath: try Fixtures.clip(), toPath: path)
    }
    let before = try files(folder)
    let name = "front/2026-11-20T10-15-30"
    let commands = [
      ["list"], ["list", "--json"], ["list", "--cameras"], ["kept"], ["export", name, "-o", desk.path("x.mp4")],
      [
        "clip", "--camera", "front", "--from", "2026-11-20 10:15:31", "--to", "2026-11-20 10:15:33", "-o",
        desk.path("clip.mp4"),
      ],
    ]
    for command in commands {
      let outcome = try footage(command + ["--recordings", folder, "--name-zone", "UTC"])
      #expect(outcome.succeeded, "\(command): \(outcome)")
      #expect(try files(folder) == before, "\(command)")
    }
    #expect(catalogs.count == 1)
    // The old spelling of the option also names the folder, and a misspelled state is an error.
    let named = try footage(["list", "--recordings", folder, "--state", desk.path("own")])
    #expect(named.succeeded && FileManager.default.fileExists(atPath: desk.path("own/catalog.sqlite")), "\(named)")
    let wrong = try footage(["list", "--recordings", folder, "--state", "redy"])
    #expect(wrong.status == 64 && wrong.errors.contains("--state-dir DIR"), "\(wrong)")
    #expect(try footage(["list", "--recordings", folder, "--state", "ready"], ["FOOTAGE_STATE": "/nowhere"]).succeeded)
    #expect(try files(folder) == before)
  }

  @Test func `what is protected, and what only the server's lists say, is seen all the same`() throws {
    let folder = desk.path("rec")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: try Fixtures.clip(), toPath: folder + "/a.mp4")
    let recordings = ["--recordings", folder]
    #expect(try footage(["keep", "a"] + recordings).succeeded)
    #expect(try footage(["kept"] + recordings).output.contains("\na "))
    #expect(try footage(["list", "--json"] + recordings).output.contains(#""kept":true"#))
  }

  @Test func `a variable that says nothing is told by every command, and by the doctor with the settings`() throws {
    let run = try TemporaryFolder()
    let variables = ["RUNTIME_DIRECTORY": run.location, "FOOTAGE_KEEPFREE": "15%", "FOOTAGE_CLIENT_AUTH": "none"]
    try withServer("--manifests", environment: variables.merging(["FOOTAGE_ACCESS_LOG": "yes"]) { $1 }) { server in
      try server.waitForLine(with: "warning: FOOTAGE_KEEPFREE belongs to no option")
      let doctor = try footage(["doctor"], variables)
      #expect(doctor.succeeded && doctor.lines.count <= 20, "\(doctor)")
      for words in [
        "look   FOOTAGE_KEEPFREE belongs to no option and is ignored; perhaps you meant FOOTAGE_KEEP_FREE",
        "ok     --manifests is on (the server's command line).", "ok     --access-log is on (FOOTAGE_ACCESS_LOG).",
        "--listen is 127.0.0.1:\(server.port) (the server's command line).",
      ] {
        #expect(doctor.output.contains(words), "\(words) in \(doctor.output)")
      }
      // It judges the server that answers on a loopback address, not a server that would be started without options.
      #expect(!doctor.output.contains("Everyone who can reach"), "\(doctor.output)")
      #expect(!doctor.output.contains("--client-auth is") && !doctor.output.contains("--no-crl is"))
      let all = try footage(["doctor", "--settings"], variables).output
      #expect(all.contains("\n--client-auth is none (FOOTAGE_CLIENT_AUTH)\n"), "\(all)")
      #expect(all.contains("\n--no-crl is off [default]\n") && all.contains("\n--max-rate is not given [default]\n"))
    }
    let list = try footage(["cache", "list"], ["FOOTAGE_KEEPFREE": "15%"])
    #expect(list.succeeded && list.errors.contains("warning: FOOTAGE_KEEPFREE"), "\(list)")
    let serve = try footage(["serve", "--recordings", desk.location], ["FOOTAGE_NO_CRL": "maybe"])
    #expect(serve.status == 64 && serve.errors.contains("FOOTAGE_NO_CRL must be 1, true"), "\(serve)")
  }

  /// Folders and settings are shown only over the socket.
  @Test func `a loopback address tells neither recordings nor settings`() throws {
    let run = try TemporaryFolder()
    try withServer("--status-listen", "localhost:0", environment: ["RUNTIME_DIRECTORY": run.location]) { server in
      let port = try eventually("its port") {
        server.log.firstMatch(of: /on this machine at .*http:\/\/127\.0\.0\.1:([0-9]+)\//).map { String($0.1) }
      }
      for path in ["folder", "recordings", "cameras", "settings"] {
        let format = ["-s", "-o", "/dev/null", "-w", "%{http_code}"]
        let address = try Command("curl", arguments: format + ["http://127.0.0.1:\(port)/\(path)"]).run()
        #expect(address.output == "404", "\(path): \(address.output)")
        let socket = try Command(
          "curl", arguments: format + ["--unix-socket", run.path("status"), "http://localhost/\(path)"]
        ).run()
        #expect(socket.output == "200", "\(path): \(socket.output)")
      }
    }
  }
}
