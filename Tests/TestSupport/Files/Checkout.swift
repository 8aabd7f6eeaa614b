import Foundation

/// The checkout that the tests were built from.
package enum Checkout {
  /// Its folder: the nearest above this file that has the scripts. Two packages have this file, at places of their own.
  package static let folder: URL = {
    var folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    while folder.path != "/",
      !FileManager.default.fileExists(atPath: folder.appendingPathComponent("scripts/gen-certs.sh").path)
    {
      folder.deleteLastPathComponent()
    }
    return folder
  }()

  /// The path of something in it.
  package static func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
}
