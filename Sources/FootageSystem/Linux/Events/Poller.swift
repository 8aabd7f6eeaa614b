internal import CFootageLinux
internal import Glibc

/// A poller that waits for many descriptors at once, and reports which of them have news.
///
/// News is reported only once, when it arrives: after a descriptor was reported as readable, the caller has to read
/// until nothing is left. A poller belongs to one thread; only `wake` may be called from others.
@safe
package struct Poller: ~Copyable {
  private let descriptor: CInt
  private let wakeUp: WakeUp
  private let capacity: Int
  private let received: UnsafeMutablePointer<clinux_event>
  private let told: UnsafeMutablePointer<Event>

  /// The events that a descriptor is watched for, and that are reported for it.
  package struct News: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// There may be bytes to read, or the end of the connection.
    package static let readable = News(rawValue: 1)
    /// There may be room to write.
    package static let writable = News(rawValue: 2)
    /// The peer has closed its side, perhaps after sending its last bytes, or the connection has failed. It is reported
    /// together with `readable`.
    package static let peerEnded = News(rawValue: 4)
  }

  package struct Event {
    /// The token that was given when the descriptor was added.
    package let token: UInt64
    package let news: News
  }

  /// The token of the poller's own descriptor.
  private static let ownToken = UInt64.max

  /// - Parameter capacity: the most events that one wait returns.
  package init(capacity: Int) throws(SystemError) {
    let wakeUp = try WakeUp()
    let descriptor = clinux_epoll_create()
    guard descriptor >= 0 else { throw .current("epoll_create1") }
    guard clinux_epoll_add(descriptor, wakeUp.descriptor, CLINUX_EPOLLIN | CLINUX_EPOLLET, Self.ownToken) == 0 else {
      let error = SystemError.current("epoll_ctl")
      close(descriptor)
      throw error
    }
    self.descriptor = descriptor
    self.wakeUp = wakeUp
    self.capacity = capacity
    unsafe received = .allocate(capacity: capacity)
    unsafe told = .allocate(capacity: capacity)
  }

  deinit {
    close(descriptor)
    unsafe received.deallocate()
    unsafe told.deallocate()
  }

  /// Begins to watch a descriptor for all events.
  ///
  /// - Parameter token: returned with the descriptor's news; must not be the largest number.
  package func add(_ descriptor: CInt, token: UInt64) throws(SystemError) {
    let events = CLINUX_EPOLLIN | CLINUX_EPOLLOUT | CLINUX_EPOLLRDHUP | CLINUX_EPOLLET
    guard clinux_epoll_add(self.descriptor, descriptor, events, token) == 0 else { throw .current("epoll_ctl") }
  }

  /// Stops watching a descriptor. Closing a descriptor has the same effect if it is the last one of its open file.
  package func remove(_ descriptor: CInt) { _ = clinux_epoll_remove(self.descriptor, descriptor) }

  /// Ends the current wait, or the next one if no wait is in progress. May be called from any thread.
  package func wake() { wakeUp.signal() }

  /// Waits for news.
  ///
  /// - Parameter milliseconds: the longest wait; below 0 it has no end.
  /// - Returns: the events, valid until the next call; empty if the time was over or `wake` ended the wait.
  package func wait(milliseconds: CInt) -> UnsafeBufferPointer<Event> {
    let count = unsafe clinux_epoll_wait(descriptor, received, CInt(capacity), milliseconds)
    var toldCount = 0
    for index in 0..<max(0, Int(count)) {
      // Safe because the kernel filled `count` elements, and there is room for as many.
      let event = unsafe received[index]
      if event.data == Self.ownToken {
        wakeUp.take()
      } else {
        unsafe (told + toldCount).initialize(to: Event(token: event.data, news: Self.news(event.events)))
        toldCount += 1
      }
    }
    return unsafe UnsafeBufferPointer(start: told, count: toldCount)
  }

  /// Returns the news for the events. An error or a hang-up makes the descriptor both readable and writable: the next
  /// call on it reports which of the two has happened.
  private static func news(_ events: UInt32) -> News {
    if events & (CLINUX_EPOLLERR | CLINUX_EPOLLHUP) != 0 { return [.readable, .writable, .peerEnded] }
    var news: News = []
    if events & CLINUX_EPOLLIN != 0 { news.insert(.readable) }
    if events & CLINUX_EPOLLOUT != 0 { news.insert(.writable) }
    if events & CLINUX_EPOLLRDHUP != 0 { news.formUnion([.readable, .peerEnded]) }
    return news
  }
}
