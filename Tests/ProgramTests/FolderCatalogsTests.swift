import Foundation
import LinuxTestSupport
import Testing

@testable import FootageLibrary
@testable import FootageCommands

/// The location of the catalog for commands that only read.
@Suite struct FolderCatalogsTests {
  let home: TemporaryFolder

  init() throws { home = try TemporaryFolder() }

  private func place(_ variables: [String: String], user: UInt32 = geteuid()) -> DerivedPlace {
    FolderCatalogs.place(of: "/recordings", environment: { variables[$0] }, user: user)
  }

  @Test func `it is in the cache of this user, and of one folder always at the same place`() throws {
    let cache = place(["XDG_CACHE_HOME": home.path("cache"), "HOME": home.location])
    guard case .folder(let path) = cache else {
      Issue.record("\(cache)")
      return
    }
    #expect(path.hasPrefix(home.path("cache/footage/catalogs/")))
    #expect(place(["XDG_CACHE_HOME": home.path("cache")]) == cache)
    #expect(place(["HOME": home.location]) != cache)
  }

  @Test func `where there is no home, and where it is another user's, it is a temporary one`() throws {
    #expect(place([:]) == .temporary)
    #expect(place(["HOME": "", "XDG_CACHE_HOME": ""]) == .temporary)
    #expect(place(["HOME": home.location], user: geteuid() + 1) == .temporary)
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.location) == [])
    // A folder that cannot be created.
    try Data().write(to: URL(fileURLWithPath: home.path(".cache")))
    #expect(place(["HOME": home.location]) == .temporary)
  }

  @Test func `of many, those go that were used longest ago`() throws {
    let base = home.path(".cache/footage/catalogs")
    for number in 0..<70 {
      let folder = "\(base)/\(String(repeating: "a", count: 14))\(number + 10)"
      try FileManager.default.createDirectory(atPath: "\(folder)/heads", withIntermediateDirectories: true)
      try Data().write(to: URL(fileURLWithPath: "\(folder)/catalog.sqlite"))
      // A command that only reads does not write to its catalog.
      for (name, day) in [("catalog.sqlite", 70 - number), ("heads", number)] {
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSince1970: Double(day) * 86_400)], ofItemAtPath: "\(folder)/\(name)")
      }
    }
    try FileManager.default.createDirectory(atPath: "\(base)/notes", withIntermediateDirectories: true)
    _ = place(["HOME": home.location])
    let left = try FileManager.default.contentsOfDirectory(atPath: base).sorted()
    #expect(left.count == 64 && left.contains("notes"))
    #expect(left.first?.hasSuffix("17") == true, "\(left)")
  }
}
