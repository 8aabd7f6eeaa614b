import FootageHTTP
import FootageServing

/// A handler that reads the bodies of requests below `/upload`, and answers with a description of them.
struct TestUploads {
  /// The limit for one body.
  static let limit = RequestBodyLimit(byteCount: 2 << 20)

  /// The length of a body and a checksum of its bytes, calculated without keeping them.
  struct Digest {
    private(set) var byteCount = 0
    private(set) var longestPiece = 0
    private var sum: UInt64 = 0

    mutating func add(_ bytes: [UInt8]) {
      byteCount += bytes.count
      longestPiece = max(longestPiece, bytes.count)
      for byte in bytes { sum = (sum &+ UInt64(byte)) &* 0x100_0000_01b3 }
    }

    var text: String { "\(byteCount) \(sum)" }

    static func text(of bytes: [UInt8]) -> String {
      var digest = Digest()
      digest.add(bytes)
      return digest.text
    }
  }

  private func document(_ text: String, _ status: HTTPStatus = .ok) -> HTTPResponse {
    .document(HTTPDocument(status, mediaType: "text/plain", bytes: Array(text.utf8)))
  }

  func respond(to request: Request) async throws(RequestBodyError) -> HTTPResponse {
    switch String(decoding: request.head.path, as: UTF8.self) {
    case "/upload/refused": return document("no", .forbidden)
    case "/upload/small":
      return document(String(decoding: try await request.body.bytes(within: .init(byteCount: 10)), as: UTF8.self))
    case "/upload/first": return document("\(try await request.body.next(within: Self.limit)?.count ?? 0)")
    case "/upload/patient":
      let bytes = try await request.body.bytes(within: .init(byteCount: 10, duration: .seconds(100)))
      return document(String(decoding: bytes, as: UTF8.self))
    case "/upload/careless":
      do throws(RequestBodyError) { _ = try await request.body.bytes(within: .init(byteCount: 10)) } catch {}
      return document("fine")
    default:
      var digest = Digest()
      while let bytes = try await request.body.next(within: Self.limit) { digest.add(bytes) }
      return document("\(digest.text) \(digest.longestPiece <= 1 << 16 ? "in pieces" : "at once")")
    }
  }
}
