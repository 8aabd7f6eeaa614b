@testable import FootageCore
import LinuxTestSupport
import Testing

/// Discovery through the bus's socket.
@Suite(.offThePool) struct AvahiBrowserTests {
  private typealias Session = AvahiSessionTests

  /// Browses, and returns the error that ended it; nil if it was canceled.
  private static func browse(
    _ path: String, _ lists: EventLog<[AnnouncedRobot]>
  ) -> Task<DiscoveryError?, Never> {
    Task {
      do throws(DiscoveryError) {
        try await AvahiBrowser(busAt: path).browse { lists.append($0) }
        return nil
      } catch { return error }
    }
  }

  @Test func `what Avahi says is told as it comes and goes, also in pieces, and a cancelled look ends`() async throws {
    let bus = try ScriptedBus()
    let lists = EventLog<[AnnouncedRobot]>()
    let look = Self.browse(bus.path, lists)
    try bus.say(Session.item("ItemNew", "Arm"))
    try await eventually("Avahi to be asked where it is") { () async -> Bool in
      bus.calls.all.last?.member == "ServiceResolverNew"
    }
    #expect(bus.calls.all.map(\.member) == ["Hello", "AddMatch", "ServiceBrowserNew", "ServiceResolverNew"])
    let found = Session.found("Arm").bytes
    try bus.say(Array(found.prefix(21)))
    try bus.say(Array(found.dropFirst(21)) + Session.found("Arm", address: "192.0.2.10").bytes)
    try await eventually("both to be taken") { () async -> Bool in
      lists.all.last?.first?.addresses.last?.host == "192.0.2.10"
    }
    try bus.say(Session.item("ItemRemove", "Arm"))
    try await eventually("it to be gone") { () async -> Bool in
      lists.all.last?.isEmpty == true
    }
    look.cancel()
    #expect(await look.value == nil)
  }

  @Test func `a bus that is not there, lets nobody in, ends or talks nonsense is told of`() async throws {
    let lists = EventLog<[AnnouncedRobot]>()
    guard case .unavailable(let words)? = await Self.browse("/nowhere/bus", lists).value else {
      return #expect(Bool(false), "it was found")
    }
    #expect(words.hasPrefix("/nowhere/bus: "))
    let closed = try ScriptedBus(greeting: "REJECTED EXTERNAL")
    #expect(
      await Self.browse(closed.path, lists).value == .unavailable("\(closed.path) refuses this user"))
    let (ending, mad) = (try ScriptedBus(), try ScriptedBus())
    let ended = Self.browse(ending.path, lists)
    try ending.end()
    #expect(await ended.value == .unavailable("the D-Bus system bus closed the connection"))
    let confused = Self.browse(mad.path, lists)
    try mad.say(Array("HTTP/1.1 400 Bad Request\r\n".utf8))
    #expect(await confused.value == .unavailable("the D-Bus system bus sent an invalid message"))
    #expect(lists.all.isEmpty)
  }

  @Test(
    arguments: [
      ("unix:path=/run/bus", "/run/bus"), ("tcp:host=x;unix:guid=1,path=/a/b;unix:path=/c", "/a/b"),
      ("unix:abstract=/a", nil), ("unix:path=a", nil), ("", nil), ("path=/a", nil),
    ] as [(String, String?)])
  func `the bus is where its address says, if that is a path`(addresses: String, path: String?) {
    #expect(AvahiBrowser.path(addresses) == path)
  }
}
