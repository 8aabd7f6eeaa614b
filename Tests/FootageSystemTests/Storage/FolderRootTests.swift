#if !canImport(Darwin)
/// Opening of files below a folder, and of nothing else.
import FootageBase
import Foundation
@testable import FootageSystem
import LinuxTestSupport
import Testing

@Suite struct FolderRootTests {
  /// The way in which a path is looked up: by the kernel in one call, or part by part if the kernel cannot do that.
  enum Way: CaseIterable { case atOnce, inSteps }

  let folder: TemporaryFolder
  let root: FolderRoot

  init() throws {
    folder = try TemporaryFolder()
    root = FolderRoot(folder.path("root"))
    for path in ["root/cam/day", "outside/day"] {
      try FileManager.default.createDirectory(atPath: folder.path(path), withIntermediateDirectories: true)
      try Data(path.utf8).write(to: URL(fileURLWithPath: folder.path(path + "/x.mp4")))
    }
    for (link, target) in [
      ("root/link", folder.path("outside")), ("root/cam/up", "../cam"), ("root/cam/x.mp4", "day/x.mp4"),
    ] {
      try FileManager.default.createSymbolicLink(atPath: folder.path(link), withDestinationPath: target)
    }
  }

  /// Returns a file's contents; nil if it cannot be opened.
  private func read(_ path: String, _ way: Way) throws -> String? {
    switch way {
    case .atOnce:
      guard let file = try? root.open(path) else { return nil }
      return String(decoding: try file.bytes(at: 0, count: Int(file.length)), as: UTF8.self)
    case .inSteps:
      let start = try FileDescriptor.openToSearch(root.path)
      guard let file = try? start.walk(path, .reading) else { return nil }
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = try bytes.withUnsafeMutableBytes { (buffer) throws(Errno) in try file.read(into: buffer) }
      return String(decoding: bytes[..<count], as: UTF8.self)
    }
  }

  @Test(arguments: Way.allCases)
  func `a file below the folder is opened`(way: Way) throws {
    #expect(try read("cam/day/x.mp4", way) == "root/cam/day")
  }

  @Test(
    arguments: Way.allCases,
    [
      "link/day/x.mp4", "cam/up/day/x.mp4", "cam/x.mp4", "../outside/day/x.mp4", "cam/../../outside/day/x.mp4",
      "/etc/passwd",
      "cam//day/x.mp4/", "nowhere/x.mp4",
    ])
  func `no link and no dots lead anywhere, be it inside`(way: Way, path: String) throws {
    #expect(try read(path, way) == nil)
  }

  @Test func `a link, a folder and a pipe are no recordings, and nothing waits for them`() throws {
    try #require(mkfifo(folder.path("root/pipe.mp4"), 0o600) == 0)
    for (path, words) in [
      ("cam/x.mp4", "it is a symbolic link"), ("link/day/x.mp4", "it is a symbolic link"),
      ("cam/day", "it is not a regular file"), ("pipe.mp4", "it is not a regular file"),
      ("none.mp4", "No such file or directory"),
    ] {
      #expect {
        _ = try root.open(path)
      } throws: { error in
        "\(error)" == "cannot open \(root.path)/\(path): \(words)"
      }
    }
  }

  @Test func `a status tells of a link itself, and of nothing behind one`() throws {
    #expect(try root.status(of: "cam/x.mp4").kind == .symbolicLink)
    #expect(try root.status(of: "cam/day/x.mp4") == FileStatus.of(folder.path("root/cam/day/x.mp4")))
    #expect(try root.status(of: "").kind == .folder)
    #expect {
      _ = try root.status(of: "link/day/x.mp4")
    } throws: { error in
      (error as? StorageError)?.reason == .system(.notAFolder)
    }
  }

  @Test func `a folder that is open stays the one that it was`() throws {
    let opened = try root.folder("cam/day")
    try Data().write(to: URL(fileURLWithPath: folder.path("outside/day/y.mp4")))
    try exchangeNames(folder.path("root/cam/day"), folder.path("outside/day"))
    #expect(try opened.entries().map(\.name) == ["x.mp4"])
    #expect(throws: StorageError.self) { try opened.status(of: "y.mp4") }
    #expect(try root.folder("cam/day").entries().map(\.name) == ["x.mp4", "y.mp4"])
    for path in ["link", "link/day", "cam/up", "none"] {
      #expect(throws: StorageError.self) { try root.folder(path) }
    }
  }

  @Test func `nothing is held open between two uses`() throws {
    func descriptors() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
    let before = try descriptors()
    for _ in 1...300 {
      _ = try? root.open("cam/day/x.mp4")
      _ = try? root.open("link/day/x.mp4")
      _ = try? root.status(of: "none")
      _ = try? root.folder("cam").entries()
    }
    // Other tests open a few descriptors meanwhile.
    #expect(try descriptors() < before + 150)
  }
}
#endif
