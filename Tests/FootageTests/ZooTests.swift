/// Every kind of file that recorders write, from the folder through ingest and HTTPS to the demuxer's findings.
import Foundation
import LinuxTestSupport
import Testing

@Suite struct ZooTests {
  @Test func `each file of the zoo is served with the packets of its source, and twice the same`() throws {
    let zoo = try Zoo.made.get()
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path("recordings"), withIntermediateDirectories: true)
    // A recording's name has no extension. A folder for each extension keeps apart files that differ only in it.
    for name in zoo.names {
      try FileManager.default.createDirectory(
        atPath: folder.path("recordings/" + kind(of: name)), withIntermediateDirectories: true)
      try FileManager.default.copyItem(
        atPath: try Zoo.path(name), toPath: folder.path("recordings/\(kind(of: name))/\(name)"))
    }
    let server = try Server(folder: folder)
    defer { server.kill() }
    for name in zoo.names {
      let recording = "\(kind(of: name))/\(name.dropLast(4))"
      let item = try server.waitForState("ready", of: recording)
      let packets = try Packets(
        of: server.url + item.url, options: ["-tls_verify", "1", "-ca_file", server.certs + "/server.pem"])
      #expect(try Zoo.differences(name, served: packets) == [])
      let first = try server.download(item.url, "--dump-header", folder.path("head-1"))
      let second = try server.download(item.url, "--dump-header", folder.path("head-2"))
      #expect(first == second && first.count == item.size, "\(name)")
      let tags = try ["head-1", "head-2"].map { try text(of: folder.path($0)).firstMatch(of: /(?i)etag: (".*")/)?.1 }
      #expect(tags[0] != nil && tags[0] == tags[1], "\(name)")
      #expect(tags[0].map(String.init) == item.etag, "\(name)")
      #expect(
        try Data(contentsOf: URL(fileURLWithPath: server.file("\(kind(of: name))/\(name)")))
          == Data(contentsOf: URL(fileURLWithPath: try Zoo.path(name))), "\(name) was changed")
    }
    // The next start serves the same as the first one.
    let before = try server.list().compactMap(\.etag)
    try server.stop()
    let next = try Server(folder: folder)
    defer { next.kill() }
    try eventually("all recordings again") { try next.list().count == zoo.names.count }
    #expect(try next.list().compactMap(\.etag) == before)
    try next.stop()
  }

  private func kind(of name: String) -> String { String(name.suffix(3)) }
}
