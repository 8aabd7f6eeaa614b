/// The robots on this network, as they come and go.
///
/// ```swift
/// for try await event in RobotDiscovery(pairings: store) { … }
/// ```
///
/// Each iteration looks anew, and stops when its task is cancelled or its iterator goes. Where events come faster than
/// they are taken, those in between are left out: what is told leads to how it is.
public struct RobotDiscovery: AsyncSequence, Sendable {
  /// A robot that was found, and which of the paired ones it says it is.
  public struct Robot: Hashable, Sendable, Identifiable {
    /// As it says itself.
    public let announced: AnnouncedRobot
    /// The paired robot that it may be, by its pin, or where it says none by its address; nil for none. Only a
    /// connection proves it: `RobotConnection.init(toRobot:in:at:as:over:cache:retrying:)`.
    public let pairing: PairingStore.Pairing?

    public var id: String { announced.id }
    /// As people read it: what it was called when it was paired, or else how it is announced.
    public var name: String { pairing?.name ?? announced.name }
    /// Where it is, the best first.
    public var addresses: [RobotAddress] { announced.addresses }

    /// - Parameters:
    ///   - announced: as it says itself.
    ///   - pairing: the paired robot that it may be.
    public init(announced: AnnouncedRobot, pairing: PairingStore.Pairing? = nil) {
      self.announced = announced
      self.pairing = pairing
    }

    init(_ announced: AnnouncedRobot, among known: [PairingStore.Pairing]) {
      self.init(
        announced: announced,
        pairing: known.first { pairing in
          announced.pinHint.map { pairing.pins.contains($0) }
            ?? announced.addresses.contains { pairing.addresses.contains($0) }
        })
    }
  }

  /// What happened.
  public enum Event: Hashable, Sendable {
    /// It is there.
    case found(Robot)
    /// It is somewhere else, has another key, or was paired with meanwhile.
    case changed(Robot)
    /// It is not there any more.
    case lost(Robot)
  }

  private let browser: any RobotBrowser
  private let pairings: PairingStore?

  /// - Parameters:
  ///   - browser: what looks for them.
  ///   - pairings: to say which of the paired robots one may be; read whenever something changes. Nil for none.
  public init(by browser: any RobotBrowser, pairings: PairingStore? = nil) {
    self.browser = browser
    self.pairings = pairings
  }

  public func makeAsyncIterator() -> Iterator {
    let (browser, pairings) = (browser, pairings)
    let (lists, listener) = AsyncStream.makeStream(
      of: Result<[AnnouncedRobot], DiscoveryError>.self, bufferingPolicy: .bufferingNewest(1))
    let task = Task {
      do throws(DiscoveryError) { try await browser.browse { listener.yield(.success($0)) } } catch {
        listener.yield(.failure(error))
      }
      listener.finish()
    }
    listener.onTermination = { _ in task.cancel() }
    return Iterator(lists: lists.makeAsyncIterator(), pairings: pairings)
  }

  /// Of one look.
  public struct Iterator: AsyncIteratorProtocol {
    private var lists: AsyncStream<Result<[AnnouncedRobot], DiscoveryError>>.Iterator
    private let pairings: PairingStore?
    private var known: [Robot] = []
    private var events: ArraySlice<Event> = []

    init(lists: AsyncStream<Result<[AnnouncedRobot], DiscoveryError>>.Iterator, pairings: PairingStore?) {
      self.lists = lists
      self.pairings = pairings
    }

    /// Waits for what happens next.
    ///
    /// - Returns: nil once the task is cancelled.
    public mutating func next() async throws(DiscoveryError) -> Event? {
      while true {
        if let event = events.popFirst() { return event }
        guard let list = await lists.next(isolation: #isolation) else { return nil }
        let robots = Self.robots(try list.get(), among: await paired())
        events = RobotDiscovery.events(from: known, to: robots)[...]
        known = robots
      }
    }

    private static func robots(_ list: [AnnouncedRobot], among known: [PairingStore.Pairing]) -> [Robot] {
      AnnouncedRobot.merged(list).map { Robot($0, among: known) }
    }

    /// None where they cannot be read: robots are found all the same.
    private func paired() async -> [PairingStore.Pairing] {
      guard let pairings else { return [] }
      let all = try? await DetachedWork.run("pairings") { () throws(PairingError) in try pairings.all() }
      return all ?? []
    }
  }

  /// What has happened between two looks: who went first, since a name may be another's by now.
  static func events(from former: [Robot], to present: [Robot]) -> [Event] {
    let before = Dictionary(former.map { ($0.id, $0) }) { first, _ in first }
    let after = Set(present.map(\.id))
    return former.filter { !after.contains($0.id) }.map(Event.lost)
      + present.compactMap { robot in
        guard let known = before[robot.id] else { return .found(robot) }
        return known == robot ? nil : .changed(robot)
      }
  }
}
