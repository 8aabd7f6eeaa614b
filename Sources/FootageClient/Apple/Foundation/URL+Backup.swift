internal import Foundation

extension URL {
  /// Leaves a folder out of backups, where its disk can note that: one that cannot is in none.
  func excludeFromBackup() {
    var values = URLResourceValues()
    values.isExcludedFromBackup = true
    var folder = self
    try? folder.setResourceValues(values)
  }
}
