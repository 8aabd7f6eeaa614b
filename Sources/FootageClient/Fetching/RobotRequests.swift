/// Requests to one robot, tried again for as long as it makes sense.

internal import Formats

struct RobotRequests: Sendable {
  let transport: any MediaTransport
  let policy: RetryPolicy
  let onEvent: @Sendable (RobotEvent) -> Void

  /// Of a document that is read whole, in bytes.
  private static let documentLimit = 4 << 20

  /// Sends one request, once.
  ///
  /// - Parameter name: what is asked for, for the words of a failure.
  /// - Returns: an answer of one of these statuses.
  func attempt(_ request: MediaRequest, name: String, accepting: Set<Int>) async throws(Attempt) -> MediaResponse {
    let response: MediaResponse
    do throws(TransportFailure) { response = try await transport.open(request) } catch {
      throw Attempt(RobotError(error))
    }
    guard accepting.contains(response.status) else {
      throw Attempt(await Problem.error(of: response, name: name), retryAfter: response.retryAfter)
    }
    return response
  }

  /// A document of the robot's, read as JSON.
  ///
  /// - Parameter name: what is asked for, for the words of a failure.
  func json(_ target: String, name: String) async throws(RobotError) -> JSONValue {
    let bytes = try await retrying { () async throws(Attempt) -> [UInt8] in
      let response = try await attempt(MediaRequest(target), name: name, accepting: [200])
      do throws(RobotError) { return try await Self.document(response, limit: Self.documentLimit) } catch {
        throw Attempt(error)
      }
    }
    guard let json = JSONValue(bytes) else { throw .malformed("\(name) is no JSON") }
    return json
  }

  /// One recording, as it is now.
  func recording(_ name: String) async throws(RobotError) -> RobotRecording {
    let json = try await json("/recordings/\(PercentEncoding.encodePath(name)).json", name: name)
    guard let recording = RobotRecording(json) else { throw .malformed("\(name) lacks what all recordings have") }
    return recording
  }

  /// The same, for who has no time to try again.
  var once: RobotRequests {
    RobotRequests(transport: transport, policy: RetryPolicy(retries: 0), onEvent: onEvent)
  }

  /// A failed try.
  struct Attempt: Error {
    let error: RobotError
    let retryAfter: Duration?

    init(_ error: RobotError, retryAfter: Duration? = nil) {
      self.error = error
      self.retryAfter = retryAfter
    }
  }

  private func retrying<Result>(
    _ body: () async throws(Attempt) -> Result
  ) async throws(RobotError) -> Result {
    var backoff = Backoff(policy)
    while true {
      do throws(Attempt) { return try await body() } catch {
        try await pause(after: error, &backoff)
      }
    }
  }

  /// Waits before the next try.
  ///
  /// - Throws: the error itself where it cannot pass, or enough was tried.
  func pause(after attempt: Attempt, _ backoff: inout Backoff) async throws(RobotError) {
    guard attempt.error.canPass, let pause = backoff.pause(retryAfter: attempt.retryAfter) else { throw attempt.error }
    onEvent(.retrying(attempt.error, after: pause))
    do { try await Task.sleep(for: pause) } catch { throw .cancelled }
  }

  /// - Throws: `RobotError.malformed` where it is larger than the limit.
  static func document(_ response: MediaResponse, limit: Int) async throws(RobotError) -> [UInt8] {
    var document: [UInt8] = []
    do throws(TransportFailure) {
      while let bytes = try await response.body.next() {
        guard bytes.count <= limit - document.count else { throw .final("a document of more than \(limit) bytes") }
        document += bytes
      }
    } catch { throw RobotError(error) }
    return document
  }
}
