/// The answer to a request: its head, and its body as it comes.

package import FootageHTTP
internal import Synchronization

/// For one reader at a time. Dropped before the body's end it closes its connection; at the end that is kept.
package final class HTTPClientResponse: Sendable {
  package let head: ResponseHead
  /// How long it took until there was a connection for the request: one that was made, or that became free.
  package let connectedAfter: Duration
  private let client: HTTPClient
  private let id: HTTPClient.ExchangeID
  private let stage: Mutex<Stage>

  private enum Stage {
    case open
    case whole
    /// An end that must not be taken for the body's.
    case failed(HTTPClientError)
  }

  init(
    _ head: ResponseHead, isWhole: Bool, connectedAfter: Duration, _ client: HTTPClient, _ id: HTTPClient.ExchangeID
  ) {
    self.head = head
    self.connectedAfter = connectedAfter
    self.client = client
    self.id = id
    stage = Mutex(isWhole ? .whole : .open)
  }

  deinit { cancel() }

  /// Waits for the next bytes of the body. Cancelling the task closes the connection.
  ///
  /// - Returns: at least one byte and some hundred kB at most, or nil once the body is whole.
  package func next() async throws(HTTPClientError) -> [UInt8]? {
    switch stage.withLock({ $0 }) {
    case .open: break
    case .whole: return nil
    case .failed(let error): throw error
    }
    do throws(HTTPClientError) {
      let piece = try await client.nextPiece(of: id)
      if piece.isLast { stage.withLock { $0 = .whole } }
      return piece.bytes.isEmpty ? nil : piece.bytes
    } catch {
      stage.withLock { $0 = .failed(error) }
      throw error
    }
  }

  /// Gives up the rest of the body.
  package func cancel() {
    let wasOpen = stage.withLock { stage in
      guard case .open = stage else { return false }
      stage = .failed(.cancelled)
      return true
    }
    if wasOpen { client.abandon(id) }
  }

  /// The whole body, which has to be small.
  ///
  /// - Throws: `HTTPClientError.malformed` where it is larger than this many bytes.
  package func document(upTo limit: Int) async throws(HTTPClientError) -> [UInt8] {
    var document: [UInt8] = []
    while let bytes = try await next() {
      guard bytes.count <= limit - document.count else {
        cancel()
        throw .malformed("a document of more than \(limit) bytes")
      }
      document += bytes
    }
    return document
  }
}
