/// Who sends the next turn, and when: a rate shared fairly among viewers, whatever number of connections each has.
///
/// Start-time fair queueing (Goyal, Vin, Cheng, 1996) over viewers, with token buckets: each viewer's turns are laid end
/// to end on a line of bytes, and the turn that begins first there is next. Who does not ask, since its own link is
/// slower, leaves its share to the others and saves none of it up.
///
/// Small answers go first, by a debt that what is large pays afterwards; but a viewer that asks for nothing but small
/// ones gets no more by that than its share.
///
/// Pure; moments are nanoseconds on a clock that never goes back.
struct PacingSchedule<Viewer: Hashable> {
  /// A turn that waits.
  typealias Ticket = UInt64

  private struct Turn {
    let ticket: Ticket
    let byteCount: Int
  }

  private struct Account {
    var bucket: PacingBucket?
    /// Where on the line of bytes its turns end.
    var end: UInt64 = 0
    var small: [Turn] = []
    var large: [Turn] = []
    var connectionCount = 0

    var first: Turn? { small.first ?? large.first }
  }

  private let limits: PacingLimits
  private var total: PacingBucket?
  private var accounts: [Viewer: Account] = [:]
  /// Whose turn a ticket is, of those that wait.
  private var owners: [Ticket: Viewer] = [:]
  private var lastTicket: Ticket = 0
  /// Where on the line of bytes the last turn began.
  private var position: UInt64 = 0
  /// How many accounts have no connection.
  private var absentCount = 0

  /// How far a viewer's small answers may be before its fair share.
  private let advance: UInt64

  /// An account outlives its connections for a moment, so that nobody is rid of a debt by connecting again; so many may
  /// do so before they are looked through.
  private static var mostAbsent: Int { 64 }

  init(_ limits: PacingLimits, at now: UInt64) {
    self.limits = limits
    total = limits.total.map { PacingBucket($0, at: now) }
    let rate = limits.total ?? limits.perViewer
    advance = UInt64(max(2 * limits.turnByteCount, rate?.byteCount(in: PacingBucket.debt) ?? 0))
  }

  // MARK: Viewers

  /// A viewer has one connection more.
  mutating func join(_ viewer: Viewer, at now: UInt64) {
    if let account = accounts[viewer], account.connectionCount == 0 { absentCount -= 1 }
    accounts[viewer, default: Account(bucket: limits.perViewer.map { PacingBucket($0, at: now) })].connectionCount += 1
  }

  /// One connection less.
  mutating func leave(_ viewer: Viewer, at now: UInt64) {
    guard let count = accounts[viewer]?.connectionCount else { return }
    accounts[viewer]?.connectionCount = count - 1
    guard count == 1 else { return }
    absentCount += 1
    if absentCount > Self.mostAbsent { forgetAbsent(at: now) }
  }

  private mutating func forgetAbsent(at now: UInt64) {
    // Where nobody waits, nobody is before another.
    if owners.isEmpty { position = max(position, accounts.values.map(\.end).max() ?? 0) }
    accounts = accounts.filter { _, account in
      account.connectionCount > 0 || account.end > position || !(account.bucket?.isFull(at: now) ?? true)
    }
    absentCount = accounts.values.count { $0.connectionCount == 0 }
  }

  /// How many viewers are known.
  var viewerCount: Int { accounts.count }

  // MARK: Turns

  /// A viewer wants to send so many bytes, a turn at most.
  ///
  /// - Returns: what `grant` will say when it may.
  mutating func ask(for byteCount: Int, by viewer: Viewer, isSmall: Bool) -> Ticket {
    lastTicket += 1
    let turn = Turn(ticket: lastTicket, byteCount: byteCount)
    owners[lastTicket] = viewer
    if isSmall { accounts[viewer]?.small.append(turn) } else { accounts[viewer]?.large.append(turn) }
    return lastTicket
  }

  func isWaiting(_ ticket: Ticket) -> Bool { owners[ticket] != nil }

  /// It does not want to any more.
  mutating func cancel(_ ticket: Ticket) {
    guard let viewer = owners.removeValue(forKey: ticket) else { return }
    accounts[viewer]?.small.removeAll { $0.ticket == ticket }
    accounts[viewer]?.large.removeAll { $0.ticket == ticket }
  }

  /// - Returns: all that may send now, in this order.
  mutating func grant(at now: UInt64) -> [Ticket] {
    var granted: [Ticket] = []
    while !owners.isEmpty, let ticket = grantOne(at: now) { granted.append(ticket) }
    return granted
  }

  /// When the next turn may be sent, unless somebody asks before; nil where nobody waits.
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

  /// Who begins first on the line of bytes, and among equals who has asked first.
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

  /// A turn was sent, and it had more bytes, or fewer, than were asked for.
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
