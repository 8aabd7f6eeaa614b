/// A robot in memory with one recording, which can be switched off.
import FootageCore
import Synchronization

final class MemoryRobot: MediaTransport {
  struct State {
    var bytes: [UInt8]
    var version = 1
    /// Why nothing is answered.
    var failure: TransportFailure?
    /// After so many bytes of the next bodies they break off, and nothing is answered from then on.
    var bytesToCut: Int?
    /// A picture of any moment, and its entity tag.
    var picture: (bytes: [UInt8], tag: String)?
    var requests: [MediaRequest] = []
  }

  static let name = "front/a b"
  let state: Mutex<State>

  init(_ bytes: [UInt8]) { state = Mutex(State(bytes: bytes)) }

  var tag: String { state.withLock { "\"v\($0.version)\"" } }

  /// - Parameter failure: nil has it answer again.
  func fail(_ failure: TransportFailure?) {
    state.withLock { state in
      state.failure = failure
      state.bytesToCut = nil
    }
  }

  static let off = TransportFailure.passing("it is switched off")

  func open(_ request: MediaRequest) async throws(TransportFailure) -> MediaResponse {
    if Task.isCancelled { throw .cancelled }
    let failure = state.withLock { state in
      state.requests.append(request)
      return state.failure
    }
    if let failure { throw failure }
    if request.target.contains("keyframe="), let picture = state.withLock({ $0.picture }) {
      return MediaResponse(status: 200, entityTag: picture.tag, body: Body(self, picture.bytes, isCut: false))
    }
    if request.target.hasSuffix(".json") {
      let item =
        #"{"name":"\#(Self.name)","state":"ready","size":\#(state.withLock { $0.bytes.count }),"#
        + #""etag":"\#(tag.replacing("\"", with: "\\\""))","startedAt":"2026-11-20T10:15:30Z"}"#
      return MediaResponse(status: 200, body: Body(self, Array(item.utf8), isCut: false))
    }
    return recording(request)
  }

  private func recording(_ request: MediaRequest) -> MediaResponse {
    let (bytes, tag) = (state.withLock { $0.bytes }, tag)
    let length = UInt64(bytes.count)
    guard let asked = request.range, request.ifRange == nil || request.ifRange == tag else {
      return MediaResponse(
        status: 200, entityTag: tag, contentLength: length, body: Body(self, bytes, isCut: true))
    }
    let range = asked.clamped(to: 0..<length)
    return MediaResponse(
      status: 206, entityTag: tag, contentRange: MediaContentRange(range: range, length: length),
      contentLength: range.upperBound - range.lowerBound,
      body: Body(self, Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)]), isCut: true))
  }

  private final class Body: MediaBody {
    private let robot: MemoryRobot
    private let rest: Mutex<ArraySlice<UInt8>>
    private let isCut: Bool

    init(_ robot: MemoryRobot, _ bytes: [UInt8], isCut: Bool) {
      self.robot = robot
      rest = Mutex(bytes[...])
      self.isCut = isCut
    }

    func next() async throws(TransportFailure) -> [UInt8]? {
      if Task.isCancelled { throw .cancelled }
      var piece = rest.withLock { rest in
        defer { rest = rest.dropFirst(16 << 10) }
        return Array(rest.prefix(16 << 10))
      }
      guard isCut else { return piece.isEmpty ? nil : piece }
      let failure = robot.state.withLock { state -> TransportFailure? in
        guard state.failure == nil, let left = state.bytesToCut else { return state.failure }
        piece = Array(piece.prefix(left))
        state.bytesToCut = left - piece.count
        if left == 0 { state.failure = MemoryRobot.off }
        return state.failure
      }
      if let failure { throw failure }
      return piece.isEmpty ? nil : piece
    }
  }
}

/// Bytes of which each has its place.
func numbered(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
  var state = seed
  return (0..<count).map { _ in
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return UInt8(truncatingIfNeeded: state >> 33)
  }
}
