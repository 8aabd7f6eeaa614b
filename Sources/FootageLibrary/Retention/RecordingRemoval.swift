internal import FootageBase
internal import FootageSystem

/// The removal of one recording's file, and of no other file, whatever happens at the same time or interrupts it.
///
/// The file is first renamed to a name that begins with a dot, under which no other part of the program finds it. It is
/// deleted only if it is still the file that was selected for deletion; otherwise it gets its name back. A crash leaves
/// the file under its own name, or under the dot name, from which the next start restores it. Its deletion is then
/// decided again.
struct RecordingRemoval<Files: RemovalFiles> {
  let files: Files

  enum Outcome: Hashable {
    case removed
    /// The file did not exist any more.
    case gone
    /// The file is a different one, is protected, has a writer, or has a different number of names. It was not deleted.
    case spared(String)
    /// The file was not deleted, and has this new name, because another file has got its own name meanwhile.
    case renamed(RelativePath, String)
  }

  /// Returns the reason why the file must not be removed, before anything is changed; nil if it may be removed. Blocks.
  func check(_ decided: RetentionCandidate) throws(StorageError) -> Outcome? {
    guard let found = try files.status(of: decided.path) else { return .gone }
    return try reasonToSpare(decided, found, at: decided.path).map { .spared($0) }
  }

  /// Removes the file. The caller has removed its row already. Blocks.
  ///
  /// - Throws: `StorageError`. The file then still has its name, or has got it back if possible.
  func remove(_ decided: RetentionCandidate) throws(StorageError) -> Outcome {
    let hidden = LeavingName.hidden(decided.path)
    // Step 1: hide it from everything else.
    do throws(StorageError) { try files.rename(decided.path, to: hidden) } catch {
      guard error.reason == .system(.notFound) else { throw error }
      return .gone
    }
    // Step 2: nothing replaces the file under the dot name. Check that it is the one that the decision was about.
    let reason: String?
    do throws(StorageError) {
      guard let found = try files.status(of: hidden) else { return .gone }
      reason = try reasonToSpare(decided, found, at: hidden)
      // Step 3: delete it.
      if reason == nil { try files.remove(hidden) }
    } catch {
      _ = try? putBack(hidden)
      throw error
    }
    guard let reason else { return .removed }
    let back = try putBack(hidden)
    return back == decided.path ? .spared(reason) : .renamed(back, reason)
  }

  /// Restores the name of a file that was about to be deleted. If another file has that name, it gets a similar one.
  /// Blocks.
  ///
  /// - Returns: its name now.
  @discardableResult
  func putBack(_ hidden: RelativePath) throws(StorageError) -> RelativePath {
    let own = LeavingName.own(hidden)
    for attempt in 0..<LeavingName.attempts {
      let target = attempt == 0 ? own : LeavingName.other(own, attempt)
      do throws(StorageError) {
        try files.rename(hidden, to: target)
        return target
      } catch {
        guard error.reason == .system(.alreadyExists) else { throw error }
      }
    }
    throw StorageError("rename", hidden.text, .system(.alreadyExists))
  }

  private func reasonToSpare(
    _ decided: RetentionCandidate, _ found: RemovalFacts, at path: RelativePath
  ) throws(StorageError) -> String? {
    guard found.isRegularFile else { return "it is not a regular file" }
    guard found.version == decided.version else { return "it is now a different file" }
    guard found.linkCount == decided.linkCount else { return "it now has \(found.linkCount) names" }
    return switch try files.obstacle(at: path) {
    case .kept: "it is protected"
    case .written: "a process is writing to it"
    case nil: nil
    }
  }
}

/// The name of a file that is being deleted, which begins with a dot. After a crash, the next start recognizes such
/// files by it.
enum LeavingName {
  static let prefix = ".footage-leaving-"
  /// The longest name of a file, in bytes: with the prefix it must still be a valid name.
  static let longest = 255 - prefix.utf8.count
  /// The number of alternative names that are tried for a file whose name is taken.
  static let attempts = 1_000

  static func hidden(_ path: RelativePath) -> RelativePath {
    path.parent.appending(prefix + FileTree.name(of: path.text))
  }

  static func isHidden(_ name: String) -> Bool {
    name.utf8.starts(with: prefix.utf8) && name.utf8.count > prefix.utf8.count
  }

  static func own(_ hidden: RelativePath) -> RelativePath {
    let name = FileTree.name(of: hidden.text).utf8.dropFirst(prefix.utf8.count)
    return hidden.parent.appending(String(decoding: name, as: UTF8.self))
  }

  /// Returns a name such as `x (2).mp4`.
  static func other(_ path: RelativePath, _ attempt: Int) -> RelativePath {
    let name = FileTree.name(of: path.text)
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return path }
    return path.parent.appending("\(name[..<dot]) (\(attempt + 1))\(name[dot...])")
  }
}
