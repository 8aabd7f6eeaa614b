internal import Networking
internal import System
internal import TLS

/// Requests that wait for a change: what others may do with their connections meanwhile.
extension HTTPConnection: RequestContext {
  var peer: SocketAddress { stream.peer }
  var clock: Clock { stream.loop.clock }
  var clientName: String? { stream.client?.name }

  func hold(until deadline: Deadline) async -> Bool {
    guard !isStopping else { return false }
    beginHold()
    let isWoken = await stream.hold(until: deadline)
    isHeld = false
    // Many may have been woken together.
    if isWoken { await stream.loop.yield() }
    return isWoken && !isStopping
  }

  func endHold() { stream.endHold() }
}
