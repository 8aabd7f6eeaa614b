/// A folder for one test, which is removed with the test.
import Foundation

package final class TemporaryFolder: Sendable {
  /// The path of the folder, without a slash at the end.
  package let location: String

  /// Creates the folder, empty.
  package init() throws {
    location =
      FileManager.default.temporaryDirectory
      .resolvingSymlinksInPath().appendingPathComponent("footage-test-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: location, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: location) }

  /// Returns the path of an item in the folder.
  package func path(_ name: String) -> String { location + "/" + name }
}
