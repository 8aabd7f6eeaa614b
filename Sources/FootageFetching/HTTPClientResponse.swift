/// The response to a request: its head, and its body as it arrives.

package import FootageHTTP
internal import Synchronization

/// A response for one reader at a time. If it is dropped before the end of the body, its connection is closed; after
/// the end of the body, the connection is kept for other requests.
package final class HTTPClientResponse: Sendable {
  package let head: ResponseHead
  /// The time until there was a connection for the request: a new one, or one that became free.
  package let connectedAfter: Duration
  private let client: HTTPClient
  private let id: HTTPClient.ExchangeID
  private let stage: Mutex<Stage>

  private enum Stage {
    case open
    case whole
    /// The body failed. It must not be mistaken for a complete body.
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

  /// Waits for the next bytes of the body. Canceling the task closes the connection.
  ///
  /// - Returns: at least one byte and a few hundred kB at most, or nil once the body is complete.
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

  /// Returns the whole body, which must be small.
  ///
  /// - Throws: `HTTPClientError.malformed` if the body is larger than `limit` bytes.
  package func document(upTo limit: Int) async throws(HTTPClientError) -> [UInt8] {
    var document: [UInt8] = []
    while let bytes = try await next() {
      guard bytes.count <= limit - document.count else {
        cancel()
        throw .malformed("the document has more than \(limit) bytes")
      }
      document += bytes
    }
    return document
  }
}
