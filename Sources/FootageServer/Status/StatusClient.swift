package import FootageAPI
internal import Formats
internal import FootageSystem

/// Asks a server on this machine how it is.
package struct StatusClient {
  /// What came of it.
  package enum Outcome: Sendable {
    /// - text: the answer as it was.
    case answered(HealthReport, text: String, from: StatusPlace)
    /// Nobody is there, or nobody who may be asked.
    case failed(String)
  }

  private static let patience = Duration.seconds(20)
  private static let longestAnswer = 4 << 20

  /// Asks one after the other, until somebody answers. Blocks.
  package static func ask(_ places: [StatusPlace]) -> Outcome {
    switch ask(places, question("GET", "/health"), HealthReport.init) {
    case .failure(let problems): .failed(problems.words)
    case .success(let answer): .answered(answer.value, text: answer.text, from: answer.place)
    }
  }

  /// What came of a question about the store.
  package enum OffloadOutcome: Sendable {
    case answered(OffloadReport, text: String)
    /// Nobody is there, nobody who may be asked, or the server does not do it; in words.
    case failed(String)
  }

  /// Asks how bringing recordings into the store goes, or for something to be done about it. Blocks.
  ///
  /// - Parameter wish: nil for how it goes.
  package static func askAboutOffload(_ wish: OffloadRequest?, _ places: [StatusPlace]) -> OffloadOutcome {
    let text = wish.map { question("POST", "/offload", body: $0.body) } ?? question("GET", "/offload")
    switch ask(places, text, OffloadReport.init) {
    case .failure(let problems): return .failed(problems.words)
    case .success(let answer): return .answered(answer.value, text: answer.text)
    }
  }

  private struct Answer<Value> {
    let value: Value
    let text: String
    let place: StatusPlace
  }

  private struct Problems: Error {
    let words: String
  }

  private static func ask<Value>(
    _ places: [StatusPlace], _ question: [UInt8], _ read: (JSONValue) -> Value?
  ) -> Result<Answer<Value>, Problems> {
    let deadline = Clock.system.deadline(after: patience)
    var problems: [String] = []
    for place in places {
      for exchange in place.exchangePlaces {
        do throws(Errno) {
          let answer = try LocalExchange.ask(exchange, question, until: deadline, limit: longestAnswer)
          let body = body(of: answer)
          let json = body.flatMap { JSONValue(Array($0)) }
          if let body, let value = json.flatMap(read) {
            return .success(Answer(value: value, text: String(decoding: body, as: UTF8.self), place: place))
          }
          // It is one, and says why it does not do it.
          if let detail = json?["detail"]?.string { return .failure(Problems(words: detail)) }
          problems.append("\(place.words): what answers there is no footage serve")
        } catch {
          problems.append("\(place.words): \(words(for: error))")
        }
      }
    }
    return .failure(Problems(words: problems.joined(separator: "; ")))
  }

  private static func question(_ method: String, _ path: String, body: [UInt8] = []) -> [UInt8] {
    let fields = body.isEmpty ? "" : "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n"
    return Array("\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n\(fields)Connection: close\r\n\r\n".utf8) + body
  }

  private static func body(of answer: [UInt8]) -> ArraySlice<UInt8>? {
    guard answer.starts(with: "HTTP/1.1 ".utf8) else { return nil }
    let end = Array("\r\n\r\n".utf8)
    return answer.indices.first { answer[$0...].starts(with: end) }.map { answer[($0 + end.count)...] }
  }

  private static func words(for error: Errno) -> String {
    switch error {
    case .notFound, .connectionRefused: "nobody listens"
    case .permissionDenied: "you may not ask there (try sudo, or join the group footage-status)"
    case .timedOut: "the server does not answer"
    default: error.description
    }
  }
}
