internal import FootageBase
package import FootageFetching
internal import FootageHTTP
internal import Synchronization
package import FootageSystem

/// A client that reads objects from a store and writes them, with the part of the S3 API that every store supports.
///
/// Keys are UTF-8 without the address's prefix, in arguments and in results. The client follows no redirect, and no URL
/// carries a signature. It does not trust answers without a check: after an upload it requests the object's length and
/// version (`head`), and it compares listed keys with the request.
package final class ObjectStoreClient: Sendable {
  package let address: StoreAddress
  let limits: ObjectStoreLimits
  private let client: HTTPClient
  private let key: StoreKey
  private let clock: Clock
  private let offset = Mutex<Int64>(0)

  /// - Parameters:
  ///   - client: a client of `address.server`. Over TLS, it must verify the store.
  ///   - clock: the clock for the time of day for which requests are signed.
  package init(
    _ client: HTTPClient, at address: StoreAddress, key: StoreKey, limits: ObjectStoreLimits = ObjectStoreLimits(),
    clock: Clock = .system
  ) {
    self.client = client
    self.address = address
    self.key = key
    self.limits = limits
    self.clock = clock
  }

  /// The number of seconds by which the store's clock is ahead of this machine's. It is determined when a verified
  /// store rejects this machine's time, and is 0 until then.
  package var clockOffsetSeconds: Int64 { offset.withLock { $0 } }

  /// The time of day, corrected by the store's clock, in seconds since 1970.
  package var unixSeconds: Int64 { clock.unixSeconds &+ clockOffsetSeconds }

  // MARK: Requests

  /// Returns the key of an object with the address's prefix.
  func wholeKey(_ key: String, _ words: String) throws(ObjectStoreError) -> String {
    let whole = address.prefix + key
    guard !key.isEmpty, ObjectKey.isUsable(whole) else { throw failure(.unusableKey, words) }
    return whole
  }

  func failure(_ reason: ObjectStoreError.Reason, _ words: String) -> ObjectStoreError {
    ObjectStoreError(reason, words, of: address.server.description)
  }

  /// Sends a request and waits for the head of a success.
  func send(_ request: StoreRequest) async throws(ObjectStoreError) -> HTTPClientResponse {
    // Without TLS, anyone in between could set this client's clock.
    var mayLearnTime = address.isEncrypted
    while true {
      let moment = SigningMoment(unixSeconds: unixSeconds)
      let response: HTTPClientResponse
      do throws(HTTPClientError) {
        response = try await client.send(request.signed(for: address, by: key, at: moment, limits))
      } catch { throw failure(ObjectStoreError.Reason(error), request.words) }
      let status = response.head.status.code
      if (200..<300).contains(status) { return response }
      let answer = await errorAnswer(response)
      if mayLearnTime, learnTime(from: response.head, answer) {
        mayLearnTime = false
        continue
      }
      throw failure(answer.reason(location: Self.redirectHost(response.head)), request.words)
    }
  }

  /// Returns the error in a response if its body is small; otherwise only its status counts.
  private func errorAnswer(_ response: HTTPClientResponse) async -> ErrorAnswer {
    let status = response.head.status.code
    do throws(HTTPClientError) {
      return ErrorAnswer(status: status, document: try await response.document(upTo: limits.errorBytes))
    } catch { return ErrorAnswer(status: status) }
  }

  /// - Returns: true if the clock was wrong and the difference is known now.
  private func learnTime(from head: ResponseHead, _ answer: ErrorAnswer) -> Bool {
    guard answer.isAboutTime || answer.status == 403,
      let date = head.value(of: .date).flatMap({ HTTPDate.unixSeconds($0.span, now: clock.unixSeconds) })
    else { return false }
    // An answer to HEAD has no code.
    guard answer.isAboutTime || abs(date - unixSeconds) > limits.clockSkewSeconds else { return false }
    offset.withLock { $0 = date - clock.unixSeconds }
    return true
  }

  /// Returns the host that a redirect names; nil if it names none, or one that is not safe to show.
  private static func redirectHost(_ head: ResponseHead) -> String? {
    guard let location = head.text(of: .location), let (_, rest) = URLText.split(location) else { return nil }
    let host = String(rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" })
    return ErrorAnswer.isWord(host) ? host : nil
  }

  /// Returns the document of a successful response. A store that fails after it has sent the status puts an `<Error>`
  /// into the document.
  func document(_ request: StoreRequest) async throws(ObjectStoreError) -> XMLElement {
    let response = try await send(request)
    let document = try await body(response, upTo: limits.documentBytes, request.words)
    let root: XMLElement
    do throws(XMLError) { root = try XMLElement(parsing: document) } catch {
      throw failure(.malformed(error.description), request.words)
    }
    try checkForError(root, response, request.words)
    return root
  }

  private func checkForError(
    _ root: XMLElement, _ response: HTTPClientResponse, _ words: String
  ) throws(ObjectStoreError) {
    guard root.name == ErrorAnswer.elementName else { return }
    let answer = ErrorAnswer(status: response.head.status.code, root)
    // Its status says success, so that only the code shows what happened.
    if case .refused = answer.reason() { throw failure(.away(answer.words), words) }
    throw failure(answer.reason(), words)
  }

  /// Waits for the end of a successful response, whose body is ignored unless it is an `<Error>`.
  func finish(_ request: StoreRequest) async throws(ObjectStoreError) -> ResponseHead {
    let response = try await send(request)
    let document = try await body(response, upTo: limits.errorBytes, request.words)
    if !document.isEmpty, let root = try? XMLElement(parsing: document) {
      try checkForError(root, response, request.words)
    }
    return response.head
  }

  private func body(
    _ response: HTTPClientResponse, upTo limit: Int, _ words: String
  ) async throws(ObjectStoreError) -> [UInt8] {
    do throws(HTTPClientError) { return try await response.document(upTo: limit) } catch {
      throw failure(ObjectStoreError.Reason(error), words)
    }
  }
}
