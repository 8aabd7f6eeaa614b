internal import FootageDigest
internal import FootageAPI
internal import FootageBase
internal import FootageSystem

/// What robots listed last, each in a file of the cache's folder: `lists/HASH.list`.
///
/// Belongs to its cache, on whose thread it may block. A list that cannot be written is remembered while the cache is
/// open; one that makes no sense is none, and is written anew when its robot lists again.
final class ListArchive {
  private let folder: String
  private let files: any CacheFiles
  private var lists: [String: ListedRecordings] = [:]
  private var isRead = false
  /// Those that are not in their files yet.
  private(set) var unsaved: Set<String> = []

  /// Robots whose lists are remembered: of more, those that listed something last.
  static let limit = 64
  private static let ending = ".list"

  /// - Parameter folder: the cache's; empty for one that keeps nothing.
  init(in folder: String, files: any CacheFiles) {
    self.folder = folder
    self.files = files
  }

  /// What is known of a robot by one of its names, the first one that it has listed something by.
  func list(of robots: [String]) -> ListedRecordings? {
    read()
    return robots.lazy.compactMap { self.lists[$0] }.first
  }

  /// All of them, the one that listed something last first.
  var all: [ListedRecordings] {
    read()
    return lists.values.sorted { ($0.listedAt ?? UnixTime(seconds: 0)) > ($1.listedAt ?? UnixTime(seconds: 0)) }
  }

  /// Takes in what a robot has listed.
  ///
  /// - Parameter robots: what the cache knows it by, the one for what is new first.
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
      // What was heard since is newer.
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

  /// Writes what is not in its file yet, each list whole or not at all.
  ///
  /// - Throws: where one cannot be written; then it stays to be.
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
