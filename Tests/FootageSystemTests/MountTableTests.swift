#if !canImport(Darwin)
import FootageSystem
import TestSupport
import Testing

@Suite struct MountTableTests {
  @Test func `a folder is on the mounts above it and those below, and on no others`() throws {
    let table = try #require(MountTable())
    func points(_ folder: String) -> [String] {
      table.lines(around: folder).compactMap { $0.split(separator: " ").dropFirst(4).first.map(String.init) }
    }
    let all = points("/")
    #expect(all.contains("/") && all.contains("/proc"))
    let ofProc = points("/proc/self")
    #expect(ofProc.contains("/") && ofProc.contains("/proc"))
    #expect(!ofProc.contains { $0 != "/" && !$0.hasPrefix("/proc") })
    // A folder whose name begins with a mount's name is not on that mount.
    #expect(!points("/process").contains("/proc"))
    #expect(table.lines(around: "/proc") == table.lines(around: "/proc"))
  }
}
#endif
