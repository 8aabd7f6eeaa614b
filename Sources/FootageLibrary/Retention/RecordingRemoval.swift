internal import FootageBase
internal import FootageSystem

/// Removes one recording's file, and nothing else, whatever happens beside it or ends it half-way.
///
/// What goes gets a dot name first, under which nobody else finds it. Only what still is what was decided about goes on
/// from there; anything else gets its name back. A crash leaves the file under its own name, or under the dot name, from
/// which the next start takes it back; deletion is decided anew then.
struct RecordingRemoval<Files: RemovalFiles> {
  let files: Files

  enum Outcome: Hashable {
    case removed
    /// It was gone already.
    case gone
    /// It is another file, was protected, has a writer or another number of names: nothing was done.
    case spared(String)
    /// As `spared`, and another file has the name meanwhile: it has this one now.
    case renamed(RelativePath, String)
  }

  /// Whether it may go, asked before anything is touched. Blocks.
  func check(_ decided: RetentionCandidate) throws(StorageError) -> Outcome? {
    guard let found = try files.status(of: decided.path) else { return .gone }
    return try reasonToSpare(decided, found, at: decided.path).map { .spared($0) }
  }

  /// Removes it. Its row is gone by then. Blocks.
  ///
  /// - Throws: `StorageError`: it has its name still, or again, as far as that can be.
  func remove(_ decided: RetentionCandidate) throws(StorageError) -> Outcome {
    let hidden = LeavingName.hidden(decided.path)
    // Step 1: out of everybody's sight.
    do throws(StorageError) { try files.rename(decided.path, to: hidden) } catch {
      guard error.reason == .system(.notFound) else { throw error }
      return .gone
    }
    // Step 2: what has the dot name now stays what it is. Is it what was decided about?
    let reason: String?
    do throws(StorageError) {
      guard let found = try files.status(of: hidden) else { return .gone }
      reason = try reasonToSpare(decided, found, at: hidden)
      // Step 3: its end.
      if reason == nil { try files.remove(hidden) }
    } catch {
      _ = try? putBack(hidden)
      throw error
    }
    guard let reason else { return .removed }
    let back = try putBack(hidden)
    return back == decided.path ? .spared(reason) : .renamed(back, reason)
  }

  /// Gives a file that was on its way out its own name again, or where another one has that, one like it. Blocks.
  ///
  /// - Returns: the name that it has now.
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

/// The dot name of a file that is on its way out, by which a start knows what a crash has left.
enum LeavingName {
  static let prefix = ".footage-leaving-"
  /// In bytes, of a file's own name: with the prefix it has to be a name still.
  static let longest = 255 - prefix.utf8.count
  /// Of other names that are tried for a file whose name is taken.
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

  /// `x (2).mp4`.
  static func other(_ path: RelativePath, _ attempt: Int) -> RelativePath {
    let name = FileTree.name(of: path.text)
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return path }
    return path.parent.appending("\(name[..<dot]) (\(attempt + 1))\(name[dot...])")
  }
}
