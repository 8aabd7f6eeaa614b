/// Recordings, newest first, in runs short enough that a change copies little.

internal import FootageBase

/// A chronological index of recordings, newest first. It is a value: copying it costs nothing until the copy is
/// changed, and a change copies one run and the list of runs.
struct ChronologicalIndex: Sendable {
  /// The runs in order. Each is sorted, and none is empty.
  private var runs: [Run] = []
  private(set) var count = 0

  /// The maximum length of a run; a longer one is halved.
  private static let runLength = 256

  init() {}

  init(_ recordings: some Sequence<Recording>) {
    let sorted = recordings.sorted { Position($0) < Position($1) }
    count = sorted.count
    var rest = sorted[...]
    while !rest.isEmpty {
      runs.append(Run(rest.prefix(Self.runLength / 2)))
      rest = rest.dropFirst(Self.runLength / 2)
    }
  }

  /// A position in the order. Later starts come first; equal starts are ordered by path.
  struct Position: Comparable {
    let startedAt: UnixTimestamp
    let path: RelativePath

    init(_ recording: Recording) {
      startedAt = recording.startedAt
      path = recording.path
    }

    init(startedAt: UnixTimestamp, path: RelativePath) {
      self.startedAt = startedAt
      self.path = path
    }

    static func < (left: Position, right: Position) -> Bool {
      left.startedAt == right.startedAt ? left.path < right.path : left.startedAt > right.startedAt
    }
  }

  /// Adds a recording whose path is not in it yet.
  mutating func insert(_ recording: Recording) {
    count += 1
    guard !runs.isEmpty else { return runs = [Run(CollectionOfOne(recording))] }
    let position = Position(recording)
    let run = min(indexOfRun(reaching: position), runs.count - 1)
    runs[run].insert(recording, at: runs[run].index(of: position))
    if runs[run].recordings.count > Self.runLength { runs.insert(runs[run].removeSecondHalf(), at: run + 1) }
  }

  /// Removes a recording that is in it.
  mutating func remove(_ recording: Recording) {
    let position = Position(recording)
    let run = indexOfRun(reaching: position)
    guard run < runs.count else { return }
    let index = runs[run].index(of: position)
    guard index < runs[run].recordings.count, runs[run].recordings[index] === recording else { return }
    runs[run].remove(at: index)
    count -= 1
    if runs[run].recordings.isEmpty { runs.remove(at: run) }
  }

  /// Passes the recordings after `position` (nil: all) to `body`, in order, until it returns false.
  func walk(behind position: Position?, _ body: (Recording) -> Bool) {
    let first = position.map { indexOfRun(reaching: $0) } ?? 0
    for run in first..<max(first, runs.count) {
      var index = 0
      if run == first, let position { index = runs[run].index(behind: position) }
      for recording in runs[run].recordings[index...] {
        guard body(recording) else { return }
      }
    }
  }

  /// Passes the recordings before `position` to `body`, in reverse order, until it returns false.
  func walk(before position: Position, _ body: (Recording) -> Bool) {
    let last = indexOfRun(reaching: position)
    for run in (0..<min(last + 1, runs.count)).reversed() {
      let end = run == last ? runs[run].index(of: position) : runs[run].recordings.count
      for recording in runs[run].recordings[..<end].reversed() {
        guard body(recording) else { return }
      }
    }
  }

  /// Passes the recordings that begin before the end of a range of time and reach into it to `body`, newest first. It
  /// skips runs that do not reach into the range, so the cost depends little on the number of recordings.
  func walk(reachingInto range: Range<UnixTimestamp>, _ body: (Recording) -> Void) {
    guard range.upperBound.milliseconds > .min, !range.isEmpty else { return }
    // No recording has this position: the empty path sorts first in its millisecond.
    let position = Position(startedAt: range.upperBound.advanced(byMilliseconds: -1), path: .root)
    let first = indexOfRun(reaching: position)
    for run in first..<max(first, runs.count) where runs[run].latestEnd >= range.lowerBound {
      let index = run == first ? runs[run].index(behind: position) : 0
      for recording in runs[run].recordings[index...]
      where recording.startedAt >= range.lowerBound || recording.endsAt > range.lowerBound { body(recording) }
    }
  }

  /// Returns the first run whose end is not before the position. O(log n).
  private func indexOfRun(reaching position: Position) -> Int {
    Self.partition(runs.count) { index in
      guard let last = runs[index].recordings.last else { return false }
      return Position(last) < position
    }
  }

  private static func partition(_ count: Int, _ isBefore: (Int) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if isBefore(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension ChronologicalIndex {
  /// A run of recordings in order.
  private struct Run {
    private(set) var recordings: [Recording]
    /// The latest end of a recording in the run.
    private(set) var latestEnd: UnixTimestamp

    /// - Parameter recordings: in order, at least one.
    init(_ recordings: some Sequence<Recording>) {
      self.recordings = Array(recordings)
      latestEnd = Self.latestEnd(of: self.recordings)
    }

    mutating func insert(_ recording: Recording, at index: Int) {
      recordings.insert(recording, at: index)
      latestEnd = max(latestEnd, recording.endsAt)
    }

    mutating func remove(at index: Int) {
      recordings.remove(at: index)
      latestEnd = Self.latestEnd(of: recordings)
    }

    mutating func removeSecondHalf() -> Run {
      let half = recordings.count / 2
      let tail = Run(recordings[half...])
      recordings.removeSubrange(half...)
      latestEnd = Self.latestEnd(of: recordings)
      return tail
    }

    /// Returns the first index that is not before the position. O(log n).
    func index(of position: Position) -> Int {
      ChronologicalIndex.partition(recordings.count) { Position(recordings[$0]) < position }
    }

    /// Returns the first index that is after the position. O(log n).
    func index(behind position: Position) -> Int {
      let index = index(of: position)
      return index < recordings.count && Position(recordings[index]) == position ? index + 1 : index
    }

    private static func latestEnd(of recordings: [Recording]) -> UnixTimestamp {
      recordings.reduce(UnixTimestamp(milliseconds: .min)) { max($0, $1.endsAt) }
    }
  }
}
