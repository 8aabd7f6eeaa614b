/// Recordings, newest first, in runs short enough that a change copies little.

internal import Formats

/// A value: a copy costs nothing until it is changed, and a change copies one run and the list of runs.
struct ChronologicalIndex: Sendable {
  /// Each in order, none empty, and one behind the other.
  private var runs: [[Recording]] = []
  private(set) var count = 0

  /// A run that grows longer is halved.
  private static let runLength = 256

  init() {}

  init(_ recordings: some Sequence<Recording>) {
    let sorted = recordings.sorted { Position($0) < Position($1) }
    count = sorted.count
    var rest = sorted[...]
    while !rest.isEmpty {
      runs.append(Array(rest.prefix(Self.runLength / 2)))
      rest = rest.dropFirst(Self.runLength / 2)
    }
  }

  /// Later beginnings come first; of equal ones, the path decides.
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

  /// Adds a recording whose path is not there yet.
  mutating func insert(_ recording: Recording) {
    count += 1
    guard !runs.isEmpty else { return runs = [[recording]] }
    let position = Position(recording)
    let run = min(indexOfRun(reaching: position), runs.count - 1)
    runs[run].insert(recording, at: Self.index(of: position, in: runs[run]))
    if runs[run].count > Self.runLength {
      let half = runs[run].count / 2
      let tail = Array(runs[run][half...])
      runs[run].removeSubrange(half...)
      runs.insert(tail, at: run + 1)
    }
  }

  /// Takes out a recording that is there.
  mutating func remove(_ recording: Recording) {
    let position = Position(recording)
    let run = indexOfRun(reaching: position)
    guard run < runs.count else { return }
    let index = Self.index(of: position, in: runs[run])
    guard index < runs[run].count, runs[run][index] === recording else { return }
    runs[run].remove(at: index)
    count -= 1
    if runs[run].isEmpty { runs.remove(at: run) }
  }

  /// Hands over, in order, what comes behind `position` (nil: all), until `body` returns false.
  func walk(behind position: Position?, _ body: (Recording) -> Bool) {
    let first = position.map { indexOfRun(reaching: $0) } ?? 0
    for run in first..<max(first, runs.count) {
      var index = 0
      if run == first, let position {
        index = Self.index(of: position, in: runs[run])
        if index < runs[run].count, Position(runs[run][index]) == position { index += 1 }
      }
      for recording in runs[run][index...] {
        guard body(recording) else { return }
      }
    }
  }

  /// The first run whose end does not lie before the position. O(log n).
  private func indexOfRun(reaching position: Position) -> Int {
    Self.partition(runs.count) { index in
      guard let last = runs[index].last else { return false }
      return Position(last) < position
    }
  }

  /// The first place in a run that does not lie before the position. O(log n).
  private static func index(of position: Position, in run: [Recording]) -> Int {
    partition(run.count) { Position(run[$0]) < position }
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
