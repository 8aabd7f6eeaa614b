internal import FootageBase
internal import FootageSystem

/// The removal of one recording's file and of nothing else, whatever happens at the same time or interrupts it.
///
/// The file first gets a dot name, under which nothing else finds it. It is deleted only if it is still the file that
/// the decision was about; otherwise it gets its name back. A crash leaves the file under its own name, or under the
/// dot name, from which the next start restores it. The deletion is then decided again.
struct RecordingRemoval<Files: RemovalFiles> {
  let files: Files

  enum Outcome: Hashable {
    case removed
    /// The file was already gone.
    case gone
    /// The file is a different one, was protected, has a writer or a different number of names. Nothing was done.
    case spared(String)
    /// The file was spared, too, but another file has taken its name meanwhile. This is its new name.
    case renamed(RelativePath, String)
  }

  /// Returns the reason not to remove it, before anything is changed; nil if it may be removed. Blocks.
  func check(_ decided: RetentionCandidate) throws(StorageError) -> Outcome? {
    guard let found = try files.status(of: decided.path) else { return .gone }
    return try reasonToSpare(decided, found, at: decided.path).map { .spared($0) }
  }

  /// Removes it. Its row has been removed already. Blocks.
  ///
  /// - Throws: `StorageError`: it still has its name, or has it again, as far as possible.
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

  /// Gives a file that was about to be deleted its own name again, or a similar one if another file has that. Blocks.
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
    guard found.isRegularFile else { return "it is no regular file" }
    guard found.version == decided.version else { return "it is another file by now" }
    guard found.linkCount == decided.linkCount else { return "it has \(found.linkCount) names by now" }
    return switch try files.obstacle(at: path) {
    case .kept: "it is protected"
    case .written: "somebody writes to it"
    case nil: nil
    }
  }
}

/// The dot name of a file that is being deleted, by which a start recognizes the leftovers of a crash.
enum LeavingName {
  static let prefix = ".footage-leaving-"
  /// The longest name of a file, in bytes: with the prefix it must still be a valid name.
  static let longest = 255 - prefix.utf8.count
  /// The number of names that are tried for a file whose name is taken.
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
