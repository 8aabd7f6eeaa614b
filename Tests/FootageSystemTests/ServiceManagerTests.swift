#if !canImport(Darwin)
import FootageSystem
import LinuxTestSupport
import Testing

@Suite struct ServiceManagerTests {
  @Test func `it hears what it is told, one datagram a word`() throws {
    let folder = try TemporaryFolder()
    let socket = try DatagramSocket(in: folder)
    let manager = try #require(ServiceManager { ["NOTIFY_SOCKET": socket.path][$0] })
    #expect(manager.watchdog == nil)
    for (news, word) in [(ServiceManager.News.ready, "READY=1"), (.alive, "WATCHDOG=1"), (.stopping, "STOPPING=1")] {
      try manager.tell(news)
      #expect(try socket.receive() == word)
    }
  }

  @Test(arguments: [nil, "", "/", "@", "relative", "vsock:2:1234", "/" + String(repeating: "x", count: 107)])
  func `where its socket has no name that is understood, there is none`(name: String?) {
    #expect(ServiceManager { $0 == "NOTIFY_SOCKET" ? name : nil } == nil)
  }

  @Test(
    arguments: [
      ("60000000", nil, .seconds(60)), ("60000000", "\(Process.identifier)", .seconds(60)), ("60000000", "1", nil),
      ("0", nil, nil), ("-5", nil, nil), ("soon", nil, nil), (nil, nil, nil),
    ] as [(String?, String?, Duration?)])
  func `the watchdog is meant for one process`(microseconds: String?, process: String?, expected: Duration?) throws {
    let variables = ["NOTIFY_SOCKET": "/run/x", "WATCHDOG_USEC": microseconds, "WATCHDOG_PID": process]
    #expect(try #require(ServiceManager { variables[$0] ?? nil }).watchdog == expected)
  }

  @Test func `one that has gone is an error, and nothing else`() throws {
    let folder = try TemporaryFolder()
    let manager = try #require(ServiceManager { ["NOTIFY_SOCKET": folder.path("gone")][$0] })
    #expect(throws: SystemError.self) { try manager.tell(.ready) }
  }
}
#endif
