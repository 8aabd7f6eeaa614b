internal import Storage

/// The list of what is to be fetched, `downloads` in the cache's folder.
extension MediaCache {
  /// What an earlier process has left; an empty list where there is none that makes sense.
  func downloads() -> DownloadList {
    guard let path = downloadsPath, let file = try? files.openToRead(path),
      file.length <= UInt64(DownloadList.longestText),
      let bytes = try? file.read(at: 0, count: Int(file.length))
    else { return DownloadList() }
    guard let list = DownloadList(bytes) else {
      // Whoever wrote it, a later version perhaps, finds it again.
      try? files.rename(path, to: "\(path).unread")
      return DownloadList()
    }
    return list
  }

  /// Writes it, so that it survives a power cut.
  ///
  /// - Throws: `.owned`, `.folder` where the folder cannot be written.
  func saveDownloads(_ list: DownloadList) throws(MediaCacheError) {
    if let folderProblem { throw folderProblem }
    guard let path = downloadsPath else { throw .folder("there is none") }
    try MediaCacheError.files { () throws(StorageError) in
      try files.replace(path, by: list.text, isDurable: true)
    }
  }

  /// Nil where nothing is kept.
  private var downloadsPath: String? { folderPath.isEmpty ? nil : "\(folderPath)/downloads" }
}
