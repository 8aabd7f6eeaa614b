/// A robot in memory, which answers as a list of faults demands, and then correctly.
import FootageAPI
import FootageClient
import FootageBase
import Foundation
import Synchronization
import LinuxTestSupport

final class ScriptedRobot: MediaTransport {
  /// The fault of one answer.
  enum Fault: Hashable, Sendable {
    /// There is no answer, which is a temporary failure.
    case unreachable
    case localNetworkDenied
    case status(Int)
    /// The body breaks off after this number of bytes, which is a temporary failure.
    case cut(Int)
    /// Range and If-Range are ignored, and the body breaks off.
    case cutWhole(Int)
    /// The answer is 503, with the time until the next attempt.
    case busy(Duration)
    /// The body ends after this number of bytes as if it were complete, and its length is not announced.
    case short(Int)
    /// The body has this number of bytes too many, and its length is not announced.
    case excess(Int)
    /// Range and If-Range are ignored.
    case ignoresRange
    case noTag
    case weakTag
    /// The answer to a request for one version has the entity tag of another one.
    case otherTag
    case noContentRange
    /// `Content-Range` is off by this number of bytes.
    case shifted(Int)
    /// The announced length of the whole is larger by this number of bytes.
    case otherLength(Int)
    /// `Content-Length` is larger than the range by this number of bytes.
    case otherContentLength(Int)
    /// The recording is replaced before the answer.
    case replaced([UInt8])
    case removed
    /// The answer comes only after an hour.
    case stalls
    /// After this number of bytes of the body, nothing more arrives.
    case stallsAfter(Int)
  }

  struct State {
    var content: [UInt8]
    var version = 1
    var faults: [Fault]
    var requests: [MediaRequest] = []
    var delivered = 0
    var isRemoved = false
    /// The name under which the robot lists its recording, regardless of faults; nil to list nothing.
    var listedName: String?
    /// True if it ignores parameters, as the first robots did.
    var isOld = false
    /// True if it denies every version that a URL names, even the one that it has.
    var deniesVersions = false
    var documents: [String: (Int, String)] = [:]
    /// The failure of trust when an impostor answers in its place.
    var distrust: TrustFailure?
    /// The content encoding of every answer.
    var contentEncoding: String?

    /// The item that it lists; nil if it lists nothing.
    var listedItem: String? {
      listedName.map { item(named: $0) }
    }

    /// Returns the item of a recording, as a robot of its age lists it.
    func item(named name: String) -> String {
      let item = RecordingItem(
        name: name, camera: "front", state: .ready, isRecovered: false, size: UInt64(content.count),
        entityTag: "\"v\(version)\"", startedAt: UnixTimestamp(seconds: 1_795_169_730), startedFrom: nil,
        isInFuture: false, duration: nil, video: nil, audio: nil)
      var json = JSONWriter()
      item.write(into: &json)
      return isOld ? json.text.replacing(/"versionedURL":"[^"]*",/, with: "") : json.text
    }
  }

  let state: Mutex<State>
  /// The size of a piece of a body.
  let pieceSize: Int

  init(_ content: [UInt8], _ faults: [Fault] = [], pieceSize: Int = 700) {
    state = Mutex(State(content: content, faults: faults))
    self.pieceSize = pieceSize
  }

  var requests: [MediaRequest] { state.withLock { $0.requests } }
  /// The requests for bytes.
  var byteRequests: [MediaRequest] { requests.filter(Self.isForBytes) }
  var content: [UInt8] { state.withLock { $0.content } }
  var tag: String { state.withLock { "\"v\($0.version)\"" } }
  /// The number of body bytes that were handed out.
  var delivered: Int { state.withLock { $0.delivered } }

  func open(_ request: MediaRequest) async throws(TransportFailure) -> MediaResponse {
    var response = try await openPlain(request)
    response.contentEncoding = state.withLock { $0.contentEncoding }
    return response
  }

  private func openPlain(_ request: MediaRequest) async throws(TransportFailure) -> MediaResponse {
    if Task.isCancelled { throw .cancelled }
    if let failure = state.withLock({ $0.distrust }) { throw .trust(failure) }
    if !Self.isForBytes(request), state.withLock({ $0.documents[request.target] == nil && !$0.isRemoved }) {
      // Its script applies only to bytes. It makes no manifests.
      let listed = request.target.hasSuffix(".json") ? state.withLock(\.listedItem) : nil
      return MediaResponse(
        status: listed == nil ? 404 : 200, body: Body(self, Array((listed ?? "").utf8), nil))
    }
    let fault = state.withLock { state -> Fault? in
      state.requests.append(request)
      return state.faults.isEmpty ? nil : state.faults.removeFirst()
    }
    switch fault {
    case .unreachable: throw .passing("connection refused")
    case .localNetworkDenied: throw .localNetworkDenied
    case .status(let code):
      let problem = Array(#"{"code":"test-code","detail":"the test says so"}"#.utf8)
      return MediaResponse(status: code, body: Body(self, problem, nil))
    case .busy(let pause): return MediaResponse(status: 503, retryAfter: pause, body: Body(self, [], nil))
    case .replaced(let content):
      state.withLock {
        $0.content = content
        $0.version += 1
      }
    case .removed: state.withLock { $0.isRemoved = true }
    case .stalls:
      do { try await Task.sleep(for: .seconds(3600)) } catch { throw .cancelled }
    default: break
    }
    if let document = state.withLock({ $0.documents[request.target] }) {
      return MediaResponse(status: document.0, body: Body(self, Array(document.1.utf8), nil))
    }
    if state.withLock({ $0.isRemoved }) {
      return MediaResponse(
        status: 404, body: Body(self, Array(#"{"code":"not-found","detail":"There is no such thing."}"#.utf8), nil))
    }
    if let version = Self.version(in: request.target), !state.withLock({ $0.isOld }),
      version != VersionTag(entityTag: tag) || state.withLock({ $0.deniesVersions })
    {
      return MediaResponse(
        status: 404, body: Body(self, Array(#"{"code":"gone","detail":"It is another version by now."}"#.utf8), nil))
    }
    return answer(request, fault)
  }

  /// Returns false for the additional requests that a playback may send at any time.
  private static func isForBytes(_ request: MediaRequest) -> Bool {
    !request.target.hasSuffix(".json") && !request.target.contains(".manifest?")
  }

  /// Returns the version that a target names; nil if it names none.
  static func version(in target: String) -> VersionTag? {
    let parts = target.split(separator: "?v=", maxSplits: 1)
    return parts.count == 2 ? VersionTag(text: String(parts[1])) : nil
  }

  private func answer(_ request: MediaRequest, _ fault: Fault?) -> MediaResponse {
    let (content, tag) = (content, tag)
    var knowsRanges = fault != .ignoresRange
    if case .cutWhole = fault { knowsRanges = false }
    let isPart = request.range != nil && knowsRanges && (request.ifRange == nil || request.ifRange == tag)
    let range = (request.range ?? 0..<UInt64.max).clamped(to: 0..<UInt64(content.count))
    if isPart, range.isEmpty {
      return MediaResponse(
        status: 416, contentRange: MediaContentRange(range: nil, length: UInt64(content.count)),
        body: Body(self, [], nil))
    }
    let bytes = isPart ? Array(content[Int(range.lowerBound)..<Int(range.upperBound)]) : content
    var response = MediaResponse(
      status: isPart ? 206 : 200, entityTag: tag,
      contentRange: isPart ? MediaContentRange(range: range, length: UInt64(content.count)) : nil,
      contentLength: UInt64(bytes.count), body: Body(self, bytes, fault))
    switch fault {
    case .noTag: response.entityTag = nil
    case .weakTag: response.entityTag = "W/\(tag)"
    case .otherTag: response.entityTag = "\"other\""
    case .noContentRange: response.contentRange = nil
    case .shifted(let count):
      response.contentRange = MediaContentRange(
        range: (range.lowerBound + UInt64(count))..<(range.upperBound + UInt64(count)), length: UInt64(content.count))
      response.contentLength = nil
    case .otherLength(let count):
      if isPart {
        response.contentRange = MediaContentRange(range: range, length: UInt64(content.count + count))
      } else {
        response.contentLength = UInt64(content.count + count)
      }
    case .otherContentLength(let count): response.contentLength = UInt64(bytes.count + count)
    case .short, .excess: if isPart { response.contentLength = nil }
    default: break
    }
    return response
  }

  private final class Body: MediaBody {
    private let robot: ScriptedRobot
    private let fault: Fault?
    private let rest: Mutex<ArraySlice<UInt8>>

    init(_ robot: ScriptedRobot, _ bytes: [UInt8], _ fault: Fault?) {
      self.robot = robot
      self.fault = fault
      switch fault {
      case .cut(let count), .cutWhole(let count), .short(let count), .stallsAfter(let count):
        rest = Mutex(bytes.prefix(count))
      case .excess(let count): rest = Mutex((bytes + [UInt8](repeating: 0xEE, count: count))[...])
      default: rest = Mutex(bytes[...])
      }
    }

    func next() async throws(TransportFailure) -> [UInt8]? {
      if Task.isCancelled { throw .cancelled }
      let piece = rest.withLock { rest in
        defer { rest = rest.dropFirst(robot.pieceSize) }
        return Array(rest.prefix(robot.pieceSize))
      }
      robot.state.withLock { $0.delivered += piece.count }
      if piece.isEmpty {
        switch fault {
        case .cut, .cutWhole: throw .passing("cut off")
        case .stallsAfter:
          do { try await Task.sleep(for: .seconds(3600)) } catch { throw .cancelled }
        default: return nil
        }
      }
      return piece
    }
  }
}

/// Returns bytes in which neighboring places differ, and which differ for every seed.
func content(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
  var state = seed
  return (0..<count).map { _ in
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return UInt8(truncatingIfNeeded: state >> 33)
  }
}
