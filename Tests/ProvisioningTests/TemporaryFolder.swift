/// A folder of its own for a test, gone when the test is.
import Foundation

final class TemporaryFolder: Sendable {
  let location: String

  init() throws {
    location =
      FileManager.default.temporaryDirectory
      .appendingPathComponent("footage-provisioning-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: location, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: location) }

  func path(_ name: String) -> String { location + "/" + name }
}
