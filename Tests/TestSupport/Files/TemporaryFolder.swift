/// A folder of its own for a test, gone when the test is.
import Foundation

package final class TemporaryFolder: Sendable {
  /// Its path, without a slash at the end.
  package let location: String

  /// Makes it, empty.
  package init() throws {
    location =
      FileManager.default.temporaryDirectory
      .resolvingSymlinksInPath().appendingPathComponent("footage-test-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: location, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: location) }

  /// The path of something in it.
  package func path(_ name: String) -> String { location + "/" + name }
}
