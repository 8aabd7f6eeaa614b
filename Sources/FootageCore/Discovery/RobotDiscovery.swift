/// The robots on this network, as they appear and disappear.
///
/// ```swift
/// for try await event in RobotDiscovery(pairings: store) { … }
/// ```
///
/// Each iteration starts a new search, which stops when its task is canceled or its iterator is released. If events
/// occur faster than they are read, intermediate ones are left out: those that remain lead to the current state.
public struct RobotDiscovery: AsyncSequence, Sendable {
  /// A robot that was found, and the paired robot that it claims to be.
  public struct Robot: Hashable, Sendable, Identifiable {
    /// The robot's own announcement.
    public let announced: AnnouncedRobot
    /// The paired robot that it may be, by its pin, or by its address if it announces no pin; nil for none. Only a
    /// connection proves it: `RobotConnection.init(toRobot:in:at:as:over:cache:retrying:)`.
    public let pairing: PairingStore.Pairing?

    public var id: String { announced.id }
    /// The name for people: the one from its pairing, or else the announced one.
    public var name: String { pairing?.name ?? announced.name }
    /// The robot's addresses, the best first.
    public var addresses: [RobotAddress] { announced.addresses }

    /// - Parameters:
    ///   - announced: the robot's own announcement.
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

  /// A change of the robots on the network.
  public enum Event: Hashable, Sendable {
    /// The robot has appeared.
    case found(Robot)
    /// The robot has a different address or key, or was paired in the meantime.
    case changed(Robot)
    /// The robot has disappeared.
    case lost(Robot)
  }

  private let browser: any RobotBrowser
  private let pairings: PairingStore?

  /// - Parameters:
  ///   - browser: the browser that looks for robots.
  ///   - pairings: the paired robots, to find out which of them a robot may be; read at each change. Nil for none.
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

  /// The iterator of one search.
  public struct Iterator: AsyncIteratorProtocol {
    private var lists: AsyncStream<Result<[AnnouncedRobot], DiscoveryError>>.Iterator
    private let pairings: PairingStore?
    private var known: [Robot] = []
    private var events: ArraySlice<Event> = []

    init(lists: AsyncStream<Result<[AnnouncedRobot], DiscoveryError>>.Iterator, pairings: PairingStore?) {
      self.lists = lists
      self.pairings = pairings
    }

    /// Waits for the next event.
    ///
    /// - Returns: nil once the task is canceled.
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

    /// Returns the paired robots; none if they cannot be read, because robots are found without them, too.
    private func paired() async -> [PairingStore.Pairing] {
      guard let pairings else { return [] }
      let all = try? await DetachedWork.run("pairings") { () throws(PairingError) in try pairings.all() }
      return all ?? []
    }
  }

  /// Returns the changes between two lists. Robots that have disappeared come first, since another robot may have their
  /// name now.
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
