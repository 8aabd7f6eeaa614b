/// The listener for players keeps one port for all callers, even when the system takes the listener away.
import Dispatch
import Foundation
import Synchronization
import LinuxTestSupport
import Testing

@testable import FootageFetching
@testable import Network

@Suite(.offThePool, .timeLimit(.minutes(1))) struct LoopbackListenerTests {
  /// Returns the ports that several threads receive when they ask at the same time, each the given number of times.
  private static func ports(of listener: LoopbackListener, threads: Int = 8, times: Int = 1) -> Set<UInt16?> {
    let told = Mutex<Set<UInt16?>>([])
    DispatchQueue.concurrentPerform(iterations: threads) { _ in
      for _ in 0..<times {
        let port = try? listener.port()
        told.withLock { _ = $0.insert(port) }
      }
    }
    return told.withLock { $0 }
  }

  @Test func `all who ask first are told the same port`() throws {
    for _ in 0..<20 {
      let listener = LoopbackListener(on: QueueExecutor()) { $0.refuse() }
      let ports = Self.ports(of: listener)
      #expect(ports.count == 1 && !ports.contains(nil), "\(ports)")
    }
  }

  @Test func `whoever asks while a listener that was taken away comes back is told its port`() throws {
    let listener = LoopbackListener(on: QueueExecutor()) { $0.refuse() }
    let port = try listener.port()
    for _ in 0..<20 {
      FakeNetwork.suspendListener(at: port)
      #expect(Self.ports(of: listener, threads: 4, times: 50) == [port])
      try eventually("it to listen again") { (try? RawConnection(to: port)) != nil }
    }
  }

  /// A listener that counts the connections that it has accepted.
  private final class Scene: Sendable {
    let listener: LoopbackListener
    private let count: Count

    private final class Count: Sendable {
      let value = Atomic(0)
    }

    init(on executor: QueueExecutor = QueueExecutor(), patience: DispatchTimeInterval = .seconds(5)) {
      let count = Count()
      self.count = count
      listener = LoopbackListener(on: executor, patience: patience) { connection in
        connection.refuse()
        count.value.add(1, ordering: .relaxed)
      }
    }

    /// Waits until the listener accepts a connection at the port. A connection that was only established proves
    /// nothing.
    func takesConnection(at port: UInt16) throws {
      let before = count.value.load(ordering: .relaxed)
      try eventually("a connection that is taken") {
        _ = try? RawConnection(to: port)
        return count.value.load(ordering: .relaxed) > before
      }
    }
  }

  @Test(arguments: FakeNetwork.Suspension.allCases)
  func `whoever asks after a suspension is told the port as before, and it takes connections`(
    suspension: FakeNetwork.Suspension
  ) throws {
    let scene = Scene()
    let port = try scene.listener.port()
    for _ in 0..<5 {
      FakeNetwork.suspendListener(at: port, suspension)
      #expect(try scene.listener.port() == port)
      // Some suspensions are reported only after the next one. Those prove nothing, which is why there are several.
      try scene.takesConnection(at: port)
    }
  }

  @Test func `a listener that waits comes back before anybody asks`() throws {
    let scene = Scene()
    let port = try scene.listener.port()
    FakeNetwork.suspendListener(at: port, .waiting)
    try scene.takesConnection(at: port)
  }

  @Test func `two listeners that wait before they listen cost nobody the port`() throws {
    let scene = Scene()
    let port = try scene.listener.port()
    FakeNetwork.holdBackListeners(at: port, count: 2)
    FakeNetwork.suspendListener(at: port)
    #expect(try scene.listener.port() == port)
    #expect(FakeNetwork.listenersToHoldBack(at: port) == 0)
    try scene.takesConnection(at: port)
  }

  @Test func `after two listeners that wait before they listen, the port comes back before anybody asks`() throws {
    let scene = Scene()
    let port = try scene.listener.port()
    FakeNetwork.holdBackListeners(at: port, count: 2)
    FakeNetwork.suspendListener(at: port)
    try scene.takesConnection(at: port)
    #expect(FakeNetwork.listenersToHoldBack(at: port) == 0)
  }

  @Test func `while all listeners wait there is no port, and then the same one`() throws {
    let scene = Scene(patience: .milliseconds(300))
    let port = try scene.listener.port()
    FakeNetwork.holdBackListeners(at: port, count: .max)
    FakeNetwork.suspendListener(at: port)
    #expect(throws: LoopbackListener.Failure.self) { try scene.listener.port() }
    FakeNetwork.holdBackListeners(at: port, count: 0)
    #expect(try eventually("a port") { try? scene.listener.port() } == port)
    try scene.takesConnection(at: port)
  }

  @Test func `while the system says nothing there is no port, and then the same one`() throws {
    let executor = QueueExecutor()
    let scene = Scene(on: executor, patience: .milliseconds(300))
    let port = try scene.listener.port()
    // The app receives no events meanwhile.
    let resumption = DispatchSemaphore(value: 0)
    executor.queue.async { resumption.wait() }
    FakeNetwork.suspendListener(at: port)
    #expect(throws: LoopbackListener.Failure.self) { try scene.listener.port() }
    resumption.signal()
    try scene.takesConnection(at: port)
    #expect(try scene.listener.port() == port)
  }

  @Test func `where somebody else takes the port while listeners wait, another one serves`() throws {
    let scene = Scene()
    let port = try scene.listener.port()
    FakeNetwork.holdBackListeners(at: port, count: .max)
    defer { FakeNetwork.holdBackListeners(at: port, count: 0) }
    FakeNetwork.suspendListener(at: port)
    try eventually("a listener that waits") { FakeNetwork.listenersToHoldBack(at: port) < .max }
    let address = try #require(ResolvedAddress.all("127.0.0.1", port).first)
    let taken = try eventually("the port to be free") { () -> Int32? in
      let descriptor = Sockets.listening(on: address, reusing: true)
      return descriptor >= 0 ? descriptor : nil
    }
    defer { close(taken) }
    let other = try scene.listener.port()
    #expect(other != port)
    try scene.takesConnection(at: other)
  }

  @Test func `where somebody else has the port of a silent listener, another one serves`() throws {
    let scene = Scene()
    let port = try scene.listener.port()
    FakeNetwork.suspendListener(at: port, .silent)
    let address = try #require(ResolvedAddress.all("127.0.0.1", port).first)
    let taken = Sockets.listening(on: address, reusing: true)
    try #require(taken >= 0)
    defer { close(taken) }
    let other = try scene.listener.port()
    #expect(other != port)
    try scene.takesConnection(at: other)
  }

  @Test func `where somebody else has the port by now, another one serves`() throws {
    let executor = QueueExecutor()
    let listener = LoopbackListener(on: executor) { $0.refuse() }
    let port = try listener.port()
    // The app is suspended, so it receives no events.
    let resumption = DispatchSemaphore(value: 0)
    executor.queue.async { resumption.wait() }
    FakeNetwork.suspendListener(at: port)
    let address = try #require(ResolvedAddress.all("127.0.0.1", port).first)
    let taken = try eventually("the port to be free") { () -> Int32? in
      let descriptor = Sockets.listening(on: address, reusing: true)
      return descriptor >= 0 ? descriptor : nil
    }
    defer { close(taken) }
    resumption.signal()
    let other = try eventually("another port") { try listener.port() == port ? nil : listener.port() }
    #expect(try listener.port() == other)
  }
}
