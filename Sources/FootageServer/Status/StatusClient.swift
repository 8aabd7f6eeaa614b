package import FootageAPI
internal import Formats
internal import System

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
    let deadline = Clock.system.deadline(after: patience)
    var problems: [String] = []
    for place in places {
      for exchange in place.exchangePlaces {
        do throws(Errno) {
          let answer = try LocalExchange.ask(exchange, question, until: deadline, limit: longestAnswer)
          guard let body = body(of: answer), let report = JSONValue(Array(body)).flatMap(HealthReport.init) else {
            problems.append("\(place.words): what answers there is no footage serve")
            continue
          }
          return .answered(report, text: String(decoding: body, as: UTF8.self), from: place)
        } catch {
          problems.append("\(place.words): \(words(for: error))")
        }
      }
    }
    return .failed(problems.joined(separator: "; "))
  }

  private static let question = Array("GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)

  private static func body(of answer: [UInt8]) -> ArraySlice<UInt8>? {
    guard answer.starts(with: "HTTP/1.1 ".utf8) else { return nil }
    let end = Array("\r\n\r\n".utf8)
    return answer.indices.first { answer[$0...].starts(with: end) }.map { answer[($0 + end.count)...] }
  }

  private static func words(for error: Errno) -> String {
    switch error {
    case .notFound, .connectionRefused: "nobody listens"
    case .permissionDenied: "you may not ask there (try sudo, or join the group footage)"
    case .timedOut: "the server does not answer"
    default: error.description
    }
  }
}
