internal import FootageBase
package import FootageFetching
internal import FootageHTTP
internal import Synchronization
package import FootageSystem

/// Asks a store for objects, and brings it some, by the part of the S3 API that every engine has.
///
/// Keys are UTF-8 and go without the address's prefix, here and in what comes back. Nothing follows a redirect, no URL
/// carries a signature, and no answer is believed beyond what it proves: an object's length and version are asked for
/// (`head`) after an upload, and what is listed is compared again with what was asked for.
package final class ObjectStoreClient: Sendable {
  package let address: StoreAddress
  let limits: ObjectStoreLimits
  private let client: HTTPClient
  private let key: StoreKey
  private let clock: Clock
  private let offset = Mutex<Int64>(0)

  /// - Parameters:
  ///   - client: to `address.server`. Over TLS it answers for that the store was verified.
  ///   - clock: tells the time of day that requests are signed for.
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

  /// How far the clock of the store is before the one of this machine, in seconds: learnt when the store found ours
  /// wrong, and from a store alone that was verified. 0 until then.
  package var clockOffsetSeconds: Int64 { offset.withLock { $0 } }

  /// The time of day, corrected by the store's, in seconds since 1970.
  package var unixSeconds: Int64 { clock.unixSeconds &+ clockOffsetSeconds }

  // MARK: Requests

  /// The whole key of an object.
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
    // Whoever sits between could set the clock of one that it talks to without TLS.
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

  /// What came with an error, as far as it is small; what it lacks, its status says.
  private func errorAnswer(_ response: HTTPClientResponse) async -> ErrorAnswer {
    let status = response.head.status.code
    do throws(HTTPClientError) {
      return ErrorAnswer(status: status, document: try await response.document(upTo: limits.errorBytes))
    } catch { return ErrorAnswer(status: status) }
  }

  /// - Returns: whether the clock was wrong, and is known now.
  private func learnTime(from head: ResponseHead, _ answer: ErrorAnswer) -> Bool {
    guard answer.isAboutTime || answer.status == 403,
      let date = head.value(of: .date).flatMap({ HTTPDate.unixSeconds($0.span, now: clock.unixSeconds) })
    else { return false }
    // An answer to HEAD has no code.
    guard answer.isAboutTime || abs(date - unixSeconds) > limits.clockSkewSeconds else { return false }
    offset.withLock { $0 = date - clock.unixSeconds }
    return true
  }

  /// The host that a redirect names; nil where it names none that could be shown.
  private static func redirectHost(_ head: ResponseHead) -> String? {
    guard let location = head.text(of: .location), let (_, rest) = URLText.split(location) else { return nil }
    let host = String(rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" })
    return ErrorAnswer.isWord(host) ? host : nil
  }

  /// The document of a success. An engine that finds out too late has an `<Error>` in it.
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
    // Its status says success, so that only the code tells.
    if case .refused = answer.reason() { throw failure(.away(answer.words), words) }
    throw failure(answer.reason(), words)
  }

  /// Waits for the end of a success whose body says nothing, unless it is an `<Error>`.
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
