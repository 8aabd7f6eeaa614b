import Foundation
import LinuxTestSupport
import Testing

/// The answer that curl receives for a target: the head, and the whole body.
struct Answer {
  let head: String
  let body: Data

  var status: Int { Int(head.split(separator: " ").dropFirst().first ?? "") ?? 0 }
  var text: String { String(decoding: body, as: UTF8.self) }
  var lines: [String] { text.split(separator: "\n").map(String.init) }

  func field(_ name: String) -> String? {
    head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("\(name.lowercased()): ") }
      .map { String($0.dropFirst(name.count + 2)) }
  }
}

extension Server {
  func answer(
    _ target: String, _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Answer {
    let body = folder.path("body-\(UUID().uuidString)")
    let outcome = try curl(arguments: ["--dump-header", "-", "--output", body] + arguments + [url + target]).run()
    try #require(outcome.succeeded, "\(outcome.errors)")
    let answer = Answer(head: outcome.output, body: (try? Data(contentsOf: URL(fileURLWithPath: body))) ?? Data())
    if answer.status == 200, !arguments.contains("--head") {
      ServedMedia.check(target, answer.body, of: folder.path(""), sourceLocation: sourceLocation)
    }
    return answer
  }
}
