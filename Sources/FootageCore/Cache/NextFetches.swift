internal import FootageBase

/// Which requests go on, and which begin: what the readers of a version need, in the order of who needs it most.
struct NextFetches {
  typealias Machine = VersionStateMachine

  /// A reader that lacks something.
  struct Want {
    let id: Machine.ReaderID
    let reader: Machine.Reader
    /// The first byte that is not here.
    let missing: UInt64
    /// Up to where it is to be fetched for now.
    let end: UInt64
  }

  /// The requests that somebody needs.
  private(set) var claimed: Set<Machine.FetchID> = []
  /// What is to be asked for, from its `missing` on.
  private(set) var unserved: [Want] = []

  private let machine: VersionStateMachine
  private var served = 0

  init(_ machine: VersionStateMachine) {
    self.machine = machine
    let ranked = Self.ranked(machine)
    for want in ranked { serve(want) }
    // What comes next is nobody's need yet: it has what is left.
    for want in ranked { lookAhead(want) }
  }

  private static func ranked(_ machine: VersionStateMachine) -> [Want] {
    let wanting = machine.readers.compactMap { id, reader -> Want? in
      let missing = machine.available.end(from: reader.position)
      let end = min(reader.range.upperBound, machine.readAheadEnd(of: reader))
      return missing < end ? Want(id: id, reader: reader, missing: missing, end: end) : nil
    }
    // Who plays outranks who does not; who waits, and for longest, outranks who has something to go on with.
    // A player that has enough to go on with leaves the link to others.
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
    // Rivals for the same bytes are one.
    guard !new.isEmpty, served < machine.limits.fetches else { return }
    claimed.formUnion(new)
    served += 1
  }

  /// A player's read-ahead goes on in pieces that are worth a request.
  private static func isDue(_ want: Want, _ machine: VersionStateMachine) -> Bool {
    guard want.reader.use == .play, want.reader.waitingSince == nil, want.end < want.reader.range.upperBound else {
      return true
    }
    return want.end - want.missing >= min(machine.pieceBytes, (want.end - want.reader.position) / 4)
  }

  /// The next piece is asked for before the last have come, on another connection, so that nothing is lost in between.
  private mutating func lookAhead(_ want: Want) {
    guard want.reader.use != .fill || !machine.isFillPaced,
      let first = machine.fetches(near: want.missing, for: want.reader.use).first, claimed.contains(first),
      // What a seek asks for has the connections that are there to itself, until it is answered.
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
