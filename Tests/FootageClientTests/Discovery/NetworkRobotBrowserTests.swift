@testable import FootageCore
import Synchronization
import LinuxTestSupport
import Testing

/// The order in which the two browsers are asked, and the combined result that an app gets.
@Suite(.offThePool) struct NetworkRobotBrowserTests {
  /// A browser that reports what a test wants, for one look after another.
  private final class Puppet: RobotBrowser {
    let looks = Mutex<[@Sendable ([AnnouncedRobot]) -> Void]>([])
    let failure: DiscoveryError?

    init(failing failure: DiscoveryError? = nil) { self.failure = failure }

    func browse(_ onChange: @escaping @Sendable ([AnnouncedRobot]) -> Void) async throws(DiscoveryError) {
      looks.withLock { $0.append(onChange) }
      if let failure { throw failure }
      try? await Task.sleep(for: .seconds(1_000_000))
    }

    var count: Int { looks.withLock { $0.count } }

    func say(_ robots: AnnouncedRobot...) { for look in looks.withLock({ $0 }) { look(robots) } }
  }

  private static func robot(_ name: String, _ pin: UInt8? = nil) -> AnnouncedRobot {
    AnnouncedRobot(
      name: name, addresses: [required(RobotAddress("\(name).local"))],
      pinHint: pin.flatMap { PublicKeyPin(digest: [UInt8](repeating: $0, count: 32)) })
  }

  @Test func `where Avahi knows somebody the network is not asked, and else it is, and both are told as one`()
    async throws
  {
    let (avahi, multicast) = (Puppet(), Puppet())
    let lists = EventLog<[AnnouncedRobot]>()
    let look = Task { try? await NetworkRobotBrowser(avahi: avahi, multicast: multicast).browse { lists.append($0) } }
    try eventually("Avahi to be asked") { avahi.count == 1 }
    avahi.say(Self.robot("arm"))
    try eventually("it to be told") { lists.all.last == [Self.robot("arm")] }
    avahi.say(Self.robot("arm"))
    #expect(lists.all.count == 1)
    avahi.say()
    try eventually("the network to be asked") { multicast.count == 1 }
    multicast.say(Self.robot("leg", 1))
    avahi.say(Self.robot("arm"), Self.robot("leg"))
    #expect(lists.all.last == [Self.robot("arm"), Self.robot("leg", 1)])
    look.cancel()
    await look.value
  }

  @Test func `where neither is to be had, it is said why not`() async throws {
    let browser = NetworkRobotBrowser(
      avahi: Puppet(failing: .unavailable("no bus")), multicast: Puppet(failing: .unavailable("no network")))
    await #expect(throws: DiscoveryError.unavailable("no network")) { try await browser.browse { _ in } }
  }

  // MARK: The reports to an app

  @Test func `robots are found, change and are lost, and say which of the paired ones they may be`() async throws {
    let folder = try TemporaryFolder()
    let store = PairingStore(folder: folder.location)
    let pin = required(Self.robot("arm", 1).pinHint)
    try store.remember(pin, of: required(RobotAddress("elsewhere.test")))
    let browser = Puppet()
    var events = RobotDiscovery(by: browser, pairings: store).makeAsyncIterator()
    try eventually("the look to begin") { browser.count == 1 }
    browser.say(Self.robot("arm", 1), Self.robot("leg"))
    let paired = RobotDiscovery.Robot(announced: Self.robot("arm", 1), pairing: try store.all().first)
    let stranger = RobotDiscovery.Robot(announced: Self.robot("leg"))
    #expect(try await events.next() == .found(paired))
    #expect(try await events.next() == .found(stranger))
    browser.say(Self.robot("arm", 2))
    #expect(try await events.next() == .lost(stranger))
    // With another pin it is not the paired robot.
    #expect(try await events.next() == .changed(RobotDiscovery.Robot(announced: Self.robot("arm", 2))))
    // Without a pin it may be the paired robot, because of its address.
    try store.met(pin, at: required(RobotAddress("arm.local")))
    browser.say(Self.robot("arm"))
    guard case .changed(let robot)? = try await events.next() else { return #expect(Bool(false), "no change") }
    #expect(robot.pairing?.pins == [pin] && robot.name == "arm")
  }

  @Test func `a look that fails ends with the reason, and one that nobody follows ends`() async throws {
    var failing = RobotDiscovery(by: Puppet(failing: .notAllowed)).makeAsyncIterator()
    await #expect(throws: DiscoveryError.notAllowed) { try await failing.next() }
    #expect(try await failing.next() == nil)
    let ended = Mutex(false)
    struct Watched: RobotBrowser {
      let onEnd: @Sendable () -> Void
      func browse(_ onChange: @escaping @Sendable ([AnnouncedRobot]) -> Void) async throws(DiscoveryError) {
        onChange([])
        try? await Task.sleep(for: .seconds(1_000_000))
        onEnd()
      }
    }
    do {
      let discovery = RobotDiscovery(by: Watched { ended.withLock { $0 = true } })
      let iterator = discovery.makeAsyncIterator()
      _ = consume iterator
    }
    try eventually("the look to end") { ended.withLock { $0 } }
  }
}
