internal import Foundation

extension URL {
  /// Excludes a folder from backups, if its disk can record that. A folder on a disk that cannot is in no backup.
  func excludeFromBackup() {
    var values = URLResourceValues()
    values.isExcludedFromBackup = true
    var folder = self
    try? folder.setResourceValues(values)
  }
}
