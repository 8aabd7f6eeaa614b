internal import FootageBase

/// The choice of the running requests that continue and of the new ones that begin. It serves the readers of a version
/// in order of urgency.
struct NextFetches {
  typealias Machine = VersionStateMachine

  /// A reader that needs bytes that are not cached.
  struct Want {
    let id: Machine.ReaderID
    let reader: Machine.Reader
    /// The offset of the first byte that is not cached.
    let missing: UInt64
    /// The offset up to which bytes are to be fetched for now.
    let end: UInt64
  }

  /// The running requests that a reader needs.
  private(set) var claimed: Set<Machine.FetchID> = []
  /// The readers that need a new request. It begins at their `missing`.
  private(set) var unserved: [Want] = []

  private let machine: VersionStateMachine
  private var served = 0

  init(_ machine: VersionStateMachine) {
    self.machine = machine
    let ranked = Self.ranked(machine)
    for want in ranked { serve(want) }
    // No reader needs the next pieces yet, so they get the requests that are left.
    for want in ranked { lookAhead(want) }
  }

  private static func ranked(_ machine: VersionStateMachine) -> [Want] {
    let wanting = machine.readers.compactMap { id, reader -> Want? in
      let missing = machine.available.end(from: reader.position)
      let end = min(reader.range.upperBound, machine.readAheadEnd(of: reader))
      return missing < end ? Want(id: id, reader: reader, missing: missing, end: end) : nil
    }
    // A player comes before other readers. Among equals, the reader that has waited longest comes first, and those that
    // do not wait come last. A player that has enough to continue with leaves the link to others.
    let pressing = wanting.filter {
      isDue($0, machine) || !machine.fetches(near: $0.missing, for: $0.reader.use).isEmpty
    }
    let use = pressing.map(\.reader.use).min()
    return wanting.filter { $0.reader.use == use }.sorted { one, other in
      switch (one.reader.waitingSince, other.reader.waitingSince) {
      case (let since?, let otherSince?): (since, one.id) < (otherSince, other.id)
      case (nil, nil): one.id < other.id
      case (let since, _): since != nil
      }
    }
  }

  private mutating func serve(_ want: Want) {
    let near = machine.fetches(near: want.missing, for: want.reader.use)
    guard near.isEmpty else { return claim(near) }
    guard served < machine.limits.fetches, Self.isDue(want, machine) else { return }
    served += 1
    unserved.append(want)
  }

  private mutating func claim(_ near: [Machine.FetchID]) {
    let new = near.filter { !claimed.contains($0) }
    // Rivals for the same bytes count as one.
    guard !new.isEmpty, served < machine.limits.fetches else { return }
    claimed.formUnion(new)
    served += 1
  }

  /// Returns true if a new request for a reader's bytes should begin now. A player's read-ahead continues only in
  /// pieces that are large enough.
  private static func isDue(_ want: Want, _ machine: VersionStateMachine) -> Bool {
    guard want.reader.use == .play, want.reader.waitingSince == nil, want.end < want.reader.range.upperBound else {
      return true
    }
    return want.end - want.missing >= min(machine.pieceBytes, (want.end - want.reader.position) / 4)
  }

  /// Requests the next piece on another connection before the running requests have delivered all of their bytes, so
  /// that the link is not idle in between.
  private mutating func lookAhead(_ want: Want) {
    guard want.reader.use != .fill || !machine.isFillPaced,
      let first = machine.fetches(near: want.missing, for: want.reader.use).first, claimed.contains(first),
      // The request after a seek has the existing connections to itself until it is answered.
      machine.fetches[first]?.hasBytes == true
    else { return }
    var missing = want.missing
    var coming: UInt64 = 0
    while missing < want.end {
      let near = machine.fetches(near: missing, for: want.reader.use)
      guard let running = near.first.flatMap({ machine.fetches[$0] }) else { break }
      claim(near)
      coming += running.end - running.position
      missing = machine.available.end(from: running.end)
    }
    let ahead = Want(id: want.id, reader: want.reader, missing: missing, end: want.end)
    guard missing < want.end, coming < machine.lookAheadBytes, served < machine.limits.fetches,
      Self.isDue(ahead, machine)
    else { return }
    served += 1
    unserved.append(ahead)
  }
}
