internal import FootageDigest
internal import FootageAPI
internal import FootageBase
internal import FootageSystem

/// The lists that robots sent last, each in a file of the cache's folder: `lists/HASH.list`.
///
/// The archive belongs to its cache, on whose thread it may block. A list that cannot be written is remembered while
/// the cache is open. An invalid file is ignored, and replaced when its robot sends a list again.
final class ListArchive {
  private let folder: String
  private let files: any CacheFiles
  private var lists: [String: ListedRecordings] = [:]
  private var isRead = false
  /// The robots whose lists are not in their files yet.
  private(set) var unsaved: Set<String> = []

  /// The number of robots whose lists are remembered. If there are more, those that sent a list most recently are kept.
  static let limit = 64
  private static let ending = ".list"

  /// - Parameter folder: the cache's folder; empty for a cache that keeps nothing.
  init(in folder: String, files: any CacheFiles) {
    self.folder = folder
    self.files = files
  }

  /// Returns the list of a robot, by the first of its names under which a list is stored.
  func list(of robots: [String]) -> ListedRecordings? {
    read()
    return robots.lazy.compactMap { self.lists[$0] }.first
  }

  /// All lists. The robot that sent a list most recently comes first.
  var all: [ListedRecordings] {
    read()
    return lists.values.sorted { ($0.listedAt ?? UnixTime(seconds: 0)) > ($1.listedAt ?? UnixTime(seconds: 0)) }
  }

  /// Adds a page that a robot has listed.
  ///
  /// - Parameter robots: the names by which the cache knows the robot. The name for new recordings is the first.
  func take(_ page: ListedRecordings.Page, of robots: [String], at now: UnixTime) {
    guard !folder.isEmpty, let name = list(of: robots)?.robot ?? robots.first else { return }
    lists[name, default: ListedRecordings(robot: name)].take(page, at: now)
    unsaved.insert(name)
  }

  private func read() {
    guard !isRead, !folder.isEmpty else { return }
    isRead = true
    for name in ((try? files.names(in: "\(folder)/lists")) ?? []).sorted() where name.hasSuffix(Self.ending) {
      guard lists.count < Self.limit, let list = readList(name) else { continue }
      // A list that was received since is newer.
      if lists[list.robot] == nil { lists[list.robot] = list }
    }
  }

  private func readList(_ name: String) -> ListedRecordings? {
    guard let file = try? files.openToRead("\(folder)/lists/\(name)"),
      file.length <= UInt64(ListedRecordings.longestText),
      let bytes = try? file.read(at: 0, count: Int(file.length)), let list = ListedRecordings(bytes),
      Self.fileName(list.robot) == name
    else { return nil }
    return list
  }

  /// Writes the lists that are not in their files yet, each completely or not at all.
  ///
  /// - Throws: an error if a list cannot be written. The list then remains unsaved.
  func save() throws(StorageError) {
    guard !unsaved.isEmpty else { return }
    try files.createFolder("\(folder)/lists")
    for forgotten in all.dropFirst(Self.limit) {
      try files.remove("\(folder)/lists/\(Self.fileName(forgotten.robot))")
      lists[forgotten.robot] = nil
      unsaved.remove(forgotten.robot)
    }
    for robot in unsaved.sorted() {
      if let list = lists[robot] {
        try files.replace("\(folder)/lists/\(Self.fileName(robot))", by: list.text)
      }
      unsaved.remove(robot)
    }
  }

  private static func fileName(_ robot: String) -> String {
    "\(Hexadecimal.encode(SHA256.hash(Array(robot.utf8)).prefix(16)))\(ending)"
  }
}
