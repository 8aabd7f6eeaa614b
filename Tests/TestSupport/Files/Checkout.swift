import Foundation

/// The checkout that the tests were built from.
package enum Checkout {
  /// The folder of the checkout: the nearest one above this file that has the scripts. Two packages have this file, in
  /// different places.
  package static let folder: URL = {
    var folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    while folder.path != "/",
      !FileManager.default.fileExists(atPath: folder.appendingPathComponent("scripts/gen-certs.sh").path)
    {
      folder.deleteLastPathComponent()
    }
    return folder
  }()

  /// Returns the path of an item in the checkout.
  package static func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
}
