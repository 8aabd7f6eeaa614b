/// "Where your URLSession delegate went": a transport of one's own, here a robot with one recording in memory.

import FootageClient

struct MemoryTransport: MediaTransport {
  /// As a URL has it, percent-encoded.
  let name: String
  let bytes: [UInt8]
  /// Strong: whenever the bytes change, so does it.
  let tag: String

  func open(_ request: MediaRequest) async throws(TransportFailure) -> MediaResponse {
    guard !Task.isCancelled else { throw .cancelled }
    if request.target.hasPrefix("/recordings?") {
      return MediaResponse(status: 200, body: MemoryBody(#"{"recordings":[\#(item)],"next":null}"#.utf8))
    }
    switch request.target {
    case "/recordings/\(name).json": return MediaResponse(status: 200, body: MemoryBody(item.utf8))
    case "/recordings/\(name).mp4": return recording(request)
    default: return MediaResponse(status: 404, body: MemoryBody([]))
    }
  }

  private func recording(_ request: MediaRequest) -> MediaResponse {
    let length = UInt64(bytes.count)
    // A part of another version than the one that is meant would be no part of it: then all of it is the answer.
    guard let asked = request.range, request.ifRange == nil || request.ifRange == tag else {
      return MediaResponse(status: 200, entityTag: tag, contentLength: length, body: MemoryBody(bytes))
    }
    let range = asked.clamped(to: 0..<length)
    guard !range.isEmpty else {
      return MediaResponse(
        status: 416, contentRange: MediaContentRange(range: nil, length: length), body: MemoryBody([]))
    }
    return MediaResponse(
      status: 206, entityTag: tag, contentRange: MediaContentRange(range: range, length: length),
      contentLength: range.upperBound - range.lowerBound,
      body: MemoryBody(bytes[Int(range.lowerBound)..<Int(range.upperBound)]))
  }

  private var item: String {
    #"{"name":"\#(name)","state":"ready","size":\#(bytes.count),"etag":"\#(tag.replacing("\"", with: "\\\""))","#
      + #""startedAt":"2026-11-20T10:15:30Z"}"#
  }
}

actor MemoryBody: MediaBody {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: some Sequence<UInt8>) { rest = Array(bytes)[...] }

  func next() throws(TransportFailure) -> [UInt8]? {
    guard !Task.isCancelled else { throw .cancelled }
    defer { rest = rest.dropFirst(64 << 10) }
    return rest.isEmpty ? nil : Array(rest.prefix(64 << 10))
  }
}

func preview(_ transport: MemoryTransport) throws -> RobotConnection {
  guard let address = RobotAddress("preview") else { throw RobotError.address("preview") }
  return RobotConnection(to: address, over: transport)
}
