/// The order and the times of turns: a rate shared fairly among viewers, however many connections each has.
///
/// It is start-time fair queueing (Goyal, Vin, Cheng, 1996) over viewers, with token buckets. Each viewer has an
/// account with a virtual time, in bytes: a turn of n bytes begins where the viewer's previous turn ended, and ends n
/// bytes later. The turn with the earliest virtual beginning is next. A viewer that requests less than its share,
/// because its own link is slower, leaves the rest to the others and cannot save it for later.
///
/// Small answers are sent first, ahead of the rate, and later large answers wait accordingly. A viewer that requests
/// only small answers nevertheless gets no more than its share.
///
/// It does no input or output. Times are in nanoseconds on a monotonic clock.
struct PacingSchedule<Viewer: Hashable> {
  /// The number of a waiting turn.
  typealias Ticket = UInt64

  private struct Turn {
    let ticket: Ticket
    let byteCount: Int
  }

  private struct Account {
    var bucket: PacingBucket?
    /// The virtual time, in bytes, at which the viewer's last turn ends.
    var end: UInt64 = 0
    var small: [Turn] = []
    var large: [Turn] = []
    var connectionCount = 0

    var first: Turn? { small.first ?? large.first }
  }

  private let limits: PacingLimits
  private var total: PacingBucket?
  private var accounts: [Viewer: Account] = [:]
  /// The viewers of the tickets that wait.
  private var owners: [Ticket: Viewer] = [:]
  private var lastTicket: Ticket = 0
  /// The virtual time, in bytes, at which the last granted turn began.
  private var position: UInt64 = 0
  /// The number of accounts without a connection.
  private var absentCount = 0

  /// The number of bytes by which a viewer's small answers may be ahead of its fair share.
  private let advance: UInt64

  /// The number of accounts without connections above which they are cleaned up. An account is kept for a moment after
  /// its last connection, so that a viewer cannot reset it by reconnecting.
  private static var mostAbsent: Int { 64 }

  init(_ limits: PacingLimits, at now: UInt64) {
    self.limits = limits
    total = limits.total.map { PacingBucket($0, at: now) }
    let rate = limits.total ?? limits.perViewer
    advance = UInt64(max(2 * limits.turnByteCount, rate?.byteCount(in: PacingBucket.debt) ?? 0))
  }

  // MARK: Viewers

  /// Adds a connection of a viewer.
  mutating func join(_ viewer: Viewer, at now: UInt64) {
    if let account = accounts[viewer], account.connectionCount == 0 { absentCount -= 1 }
    accounts[viewer, default: Account(bucket: limits.perViewer.map { PacingBucket($0, at: now) })].connectionCount += 1
  }

  /// Removes a connection of a viewer.
  mutating func leave(_ viewer: Viewer, at now: UInt64) {
    guard let count = accounts[viewer]?.connectionCount else { return }
    accounts[viewer]?.connectionCount = count - 1
    guard count == 1 else { return }
    absentCount += 1
    if absentCount > Self.mostAbsent { forgetAbsent(at: now) }
  }

  private mutating func forgetAbsent(at now: UInt64) {
    // If no turn waits, no viewer is ahead of another.
    if owners.isEmpty { position = max(position, accounts.values.map(\.end).max() ?? 0) }
    accounts = accounts.filter { _, account in
      account.connectionCount > 0 || account.end > position || !(account.bucket?.isFull(at: now) ?? true)
    }
    absentCount = accounts.values.count { $0.connectionCount == 0 }
  }

  /// The number of viewers that are known.
  var viewerCount: Int { accounts.count }

  // MARK: Turns

  /// Requests a turn of this many bytes, at most the size of a full turn.
  ///
  /// - Returns: the ticket that `grant` returns when the turn may be sent.
  mutating func ask(for byteCount: Int, by viewer: Viewer, isSmall: Bool) -> Ticket {
    lastTicket += 1
    let turn = Turn(ticket: lastTicket, byteCount: byteCount)
    owners[lastTicket] = viewer
    if isSmall { accounts[viewer]?.small.append(turn) } else { accounts[viewer]?.large.append(turn) }
    return lastTicket
  }

  func isWaiting(_ ticket: Ticket) -> Bool { owners[ticket] != nil }

  /// Cancels a turn that is no longer wanted.
  mutating func cancel(_ ticket: Ticket) {
    guard let viewer = owners.removeValue(forKey: ticket) else { return }
    accounts[viewer]?.small.removeAll { $0.ticket == ticket }
    accounts[viewer]?.large.removeAll { $0.ticket == ticket }
  }

  /// - Returns: the tickets of all turns that may be sent now, in this order.
  mutating func grant(at now: UInt64) -> [Ticket] {
    var granted: [Ticket] = []
    while !owners.isEmpty, let ticket = grantOne(at: now) { granted.append(ticket) }
    return granted
  }

  /// Returns the time at which the next turn may be sent, unless another turn is requested before; nil if no turn
  /// waits.
  func nextGrant() -> UInt64? {
    guard !owners.isEmpty else { return nil }
    return accounts.values.lazy.compactMap { due($0) }.min()
  }

  private func due(_ account: Account) -> UInt64? {
    guard account.first != nil else { return nil }
    guard mayGoFirst(account) else { return max(total?.freeFrom ?? 0, account.bucket?.freeFrom ?? 0) }
    return max(total?.freeForSmallFrom ?? 0, account.bucket?.freeForSmallFrom ?? 0)
  }

  private func mayGoFirst(_ account: Account) -> Bool {
    !account.small.isEmpty && account.end <= position + advance
  }

  private mutating func grantOne(at now: UInt64) -> Ticket? {
    if let viewer = firstInLine(where: { mayGoFirst($0) && due($0) ?? .max <= now }) {
      return begin(viewer, at: now)
    }
    guard total?.freeFrom ?? 0 <= now,
      let viewer = firstInLine(where: { $0.first != nil && $0.bucket?.freeFrom ?? 0 <= now })
    else { return nil }
    position = max(position, accounts[viewer]?.end ?? 0)
    return begin(viewer, at: now)
  }

  /// Returns the viewer whose next turn has the earliest virtual beginning; among equals, the one that requested a turn
  /// first.
  private func firstInLine(where mayBegin: (Account) -> Bool) -> Viewer? {
    var first: (viewer: Viewer, start: UInt64, ticket: Ticket)?
    for (viewer, account) in accounts where mayBegin(account) {
      guard let ticket = account.first?.ticket else { continue }
      let start = max(account.end, position)
      if let first, (first.start, first.ticket) < (start, ticket) { continue }
      first = (viewer, start, ticket)
    }
    return first?.viewer
  }

  private mutating func begin(_ viewer: Viewer, at now: UInt64) -> Ticket? {
    guard var account = accounts[viewer], let turn = account.first else { return nil }
    if account.small.isEmpty { account.large.removeFirst() } else { account.small.removeFirst() }
    account.end = max(account.end, position) + UInt64(turn.byteCount)
    account.bucket?.spend(turn.byteCount, at: now)
    accounts[viewer] = account
    total?.spend(turn.byteCount, at: now)
    owners[turn.ticket] = nil
    return turn.ticket
  }

  /// Corrects a viewer's account after a turn with more or fewer bytes than requested.
  mutating func settle(_ asked: Int, sent: Int, by viewer: Viewer, at now: UInt64) {
    guard asked != sent, var account = accounts[viewer] else { return }
    if sent > asked {
      total?.spend(sent - asked, at: now)
      account.bucket?.spend(sent - asked, at: now)
      account.end += UInt64(sent - asked)
    } else {
      total?.giveBack(asked - sent)
      account.bucket?.giveBack(asked - sent)
      account.end -= min(account.end, UInt64(asked - sent))
    }
    accounts[viewer] = account
  }
}
