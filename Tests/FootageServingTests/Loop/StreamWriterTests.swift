import FootageSystem
import Testing

@testable import FootageServing

/// The unsent bytes of a connection, without a connection.
@Suite struct StreamWriterTests {
  /// A peer that takes a number of bytes, and no more until there is room again.
  private final class Peer {
    var room: Int
    var taken: [UInt8] = []
    var calls = 0

    init(room: Int) { self.room = room }

    func take(_ bytes: UnsafeRawBufferPointer) -> Int {
      calls += 1
      let count = min(room, bytes.count)
      taken += Array(bytes[..<count])
      room -= count
      return count
    }
  }

  private let now = Deadline(milliseconds: 1_000)
  private func writer() -> StreamWriter { StreamWriter(firstTurn: 64 * 1024, since: now) }

  private func send(_ bytes: [UInt8], by writer: inout StreamWriter, to peer: Peer) throws(StreamError) {
    try bytes.withUnsafeBufferPointer { (bytes) throws(StreamError) in
      try writer.send(UnsafeRawBufferPointer(bytes)) { (bytes) throws(StreamError) in peer.take(bytes) }
    }
  }

  private func flush(_ writer: inout StreamWriter, to peer: Peer) throws(StreamError) {
    try writer.flush { (bytes) throws(StreamError) in peer.take(bytes) }
  }

  @Test func `what the socket takes is not kept`() throws {
    var writer = writer()
    let peer = Peer(room: 100)
    try send([1, 2, 3], by: &writer, to: peer)
    #expect(writer.isEmpty && writer.storedByteCount == 0 && peer.taken == [1, 2, 3] && peer.calls == 1)
  }

  @Test func `what the socket does not take leaves in order, as there is room`() throws {
    var writer = writer()
    let peer = Peer(room: 2)
    try send([1, 2, 3, 4, 5], by: &writer, to: peer)
    #expect(writer.waitingByteCount == 3)
    // The bytes go after the waiting ones. The socket is not called, since it has reported that it is full.
    try send([6, 7], by: &writer, to: peer)
    #expect(writer.waitingByteCount == 5 && peer.calls == 1)
    for _ in 0..<5 {
      #expect(!writer.isEmpty)
      peer.room = 1
      try flush(&writer, to: peer)
    }
    #expect(peer.taken == [1, 2, 3, 4, 5, 6, 7])
    #expect(writer.isEmpty && writer.storedByteCount == 0 && writer.waitingByteCount == 0)
  }

  @Test func `a socket that fails takes nothing with it`() throws {
    var writer = writer()
    let peer = Peer(room: 1)
    try send([1, 2, 3], by: &writer, to: peer)
    #expect(throws: StreamError.disconnected(nil)) {
      try writer.flush { (_) throws(StreamError) in throw .disconnected(nil) }
    }
    #expect(writer.waitingByteCount == 2)
  }

  @Test func `what is kept for company goes before what is sent next`() throws {
    var writer = writer()
    let peer = Peer(room: 100)
    [UInt8]([1, 2]).withUnsafeBytes { writer.deferSending($0) }
    #expect(writer.isDeferred && !writer.isEmpty && peer.calls == 0)
    #expect(writer.takeDeferred() == [1, 2])
    #expect(!writer.isDeferred && writer.isEmpty)
    #expect(writer.takeDeferred().isEmpty)
    [UInt8]([1, 2]).withUnsafeBytes { writer.deferSending($0) }
    try send([3], by: &writer, to: peer)
    #expect(peer.taken == [1, 2, 3] && peer.calls == 1 && !writer.isDeferred)
  }

  @Test func `what waits for the socket is not given back as if it had waited for company`() throws {
    var writer = writer()
    try send([1], by: &writer, to: Peer(room: 0))
    #expect(writer.takeDeferred().isEmpty && writer.waitingByteCount == 1)
  }

  @Test func `turns grow while the socket takes them, and shrink where it does not, within bounds`() throws {
    var writer = writer()
    for expected in [128, 256, 256] {
      #expect(writer.endTurn(of: 1) { now } == nil)
      #expect(writer.turnByteCount == expected * 1024)
    }
    try send([1], by: &writer, to: Peer(room: 0))
    for expected in [128, 64, 32, 32] {
      _ = writer.endTurn(of: 1) { now }
      #expect(writer.turnByteCount == expected * 1024)
    }
  }

  @Test func `a peer is fast by what it took since it was last asked`() throws {
    var writer = writer()
    // It is asked only if bytes are left.
    #expect(writer.endTurn(of: 64 << 20) { Deadline(milliseconds: 2_000) } == nil)
    try send([1], by: &writer, to: Peer(room: 0))
    #expect(writer.endTurn(of: 0) { Deadline(milliseconds: 1_500) } == true)
    #expect(writer.endTurn(of: 1 << 20) { Deadline(milliseconds: 2_500) } == false)
    #expect(writer.endTurn(of: 1 << 20) { Deadline(milliseconds: 2_501) } == nil)
  }
}
