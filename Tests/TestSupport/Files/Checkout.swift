import Foundation

/// The checkout that the tests were built from.
package enum Checkout {
  /// Its folder.
  package static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The path of something in it.
  package static func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
}
