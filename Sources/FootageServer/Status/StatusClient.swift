package import FootageAPI
internal import FootageBase
package import FootageLibrary
internal import FootageSystem

/// A client that asks a server on this machine for its status.
package struct StatusClient {
  /// The outcome of a question.
  package enum Outcome: Sendable {
    /// A server answered. `text` is its unchanged answer.
    case answered(HealthReport, text: String, from: StatusPlace)
    /// No server answered, or this user may not ask the server that runs. The text says which.
    case failed(String)
  }

  private static let patience = Duration.seconds(20)
  /// The time within which a server must rebuild one recording: it may have to read a file of many gigabytes.
  private static let remakingPatience = Duration.seconds(900)
  private static let longestAnswer = 4 << 20

  /// Asks one place after the other, until a server answers. Blocks.
  package static func ask(_ places: [StatusPlace]) -> Outcome {
    switch ask(places, question("GET", "/health"), HealthReport.init) {
    case .failure(let problems): .failed(problems.words)
    case .success(let answer): .answered(answer.value, text: answer.text, from: answer.place)
    }
  }

  /// The outcome of a question about the store.
  package enum OffloadOutcome: Sendable {
    case answered(OffloadReport, text: String)
    /// No server answered, this user may not ask the server that runs, or the server refused. The text says which.
    case failed(String)
  }

  /// Asks for the progress of copying recordings to the store, or sends a command for it. Blocks.
  ///
  /// - Parameter wish: the command; nil to ask for the progress.
  package static func askAboutOffload(_ wish: OffloadRequest?, _ places: [StatusPlace]) -> OffloadOutcome {
    let text = wish.map { question("POST", "/offload", body: $0.body) } ?? question("GET", "/offload")
    switch ask(places, text, OffloadReport.init) {
    case .failure(let problems): return .failed(problems.words)
    case .success(let answer): return .answered(answer.value, text: answer.text)
    }
  }

  /// A folder that a server on this machine serves.
  package struct ServedFolder: Sendable {
    /// The socket or address at which that server answers.
    package let place: StatusPlace
    /// The time zone of times in names, from the server's settings.
    package let zone: String
    /// A sentence about the time until the disk is full; nil if it is unknown.
    package let forecast: String?
  }

  /// Finds the server of a folder. Blocks.
  ///
  /// - Parameter folder: an absolute path without links.
  /// - Returns: nil if no server answers that serves this folder and has examined all its files.
  package static func server(of folder: String, _ places: [StatusPlace]) -> ServedFolder? {
    for place in places {
      let answer = ask([place], question("GET", "/folder")) { json -> ServedFolder? in
        guard let path = json["folder"]?.string, path.utf8.elementsEqual(folder.utf8),
          json["settled"]?.bool == true, let zone = json["zone"]?.string
        else { return nil }
        return ServedFolder(place: place, zone: zone, forecast: json["forecast"]?.string)
      }
      if case .success(let found) = answer { return found.value }
    }
    return nil
  }

  /// The maximum number of pages that are requested. Otherwise a faulty server could make the client request pages
  /// forever.
  private static let pageLimit = 10_000

  /// Returns the recordings of a folder, newest first. Blocks.
  ///
  /// - Returns: nil if the server does not list all of them.
  package static func recordings(_ query: ListQuery, in folder: ServedFolder) -> [RecordingItem]? {
    var items: [RecordingItem] = []
    var query = query
    query.limit = 1_000
    for _ in 0..<pageLimit {
      let target = Resource.recordings(query).target
      guard case .success(let answer) = ask([folder.place], question("GET", target), RecordingList.init) else {
        return nil
      }
      // An invalid item must not spoil the others.
      // An earlier server may ignore some of the conditions.
      items += answer.value.items.compactMap { try? RecordingItem($0) }.filter { query.includes($0.facts()) }
      guard let next = answer.value.next else { return items }
      query.after = next
    }
    return nil
  }

  /// Returns the cameras of a folder. Blocks.
  ///
  /// - Returns: nil if the server does not list them.
  package static func cameras(in folder: ServedFolder) -> [CameraList.Camera]? {
    let answer = ask([folder.place], question("GET", Resource.cameras().target), CameraList.init)
    guard case .success(let list) = answer else { return nil }
    return list.value.cameras
  }

  /// Returns what the first server that answers found about its recordings. Blocks.
  ///
  /// - Returns: nil if no server answers with its findings.
  package static func findings(_ places: [StatusPlace]) -> LibraryFindings? {
    for place in places {
      if case .success(let answer) = ask([place], question("GET", "/findings"), LibraryFindings.init) {
        return answer.value
      }
    }
    return nil
  }

  /// Returns a place at which the server of a folder answers. Blocks.
  ///
  /// - Parameter folder: an absolute path without links.
  /// - Returns: nil if no server answers that serves this folder.
  package static func place(ofServer folder: String, _ places: [StatusPlace]) -> StatusPlace? {
    places.first { place in
      let answer = ask([place], question("GET", "/folder")) { json in json["folder"]?.string }
      guard case .success(let found) = answer else { return false }
      return found.value.utf8.elementsEqual(folder.utf8)
    }
  }

  /// Returns the names of the recordings that older rules made, in the order of their bytes. Blocks.
  package static func olderRecordings(at place: StatusPlace) -> Result<[String], StatusFailure> {
    var names: [String] = []
    for _ in 0..<pageLimit {
      let after = names.last.map { "?after=\(PercentEncoding.encodeQueryValue($0))" } ?? ""
      switch ask([place], question("GET", "/again\(after)"), OlderRecordings.init) {
      case .failure(let problems): return .failure(StatusFailure(description: problems.words))
      case .success(let answer):
        names += answer.value.names
        if answer.value.names.count < OlderRecordings.longestPage { return .success(names) }
      }
    }
    return .success(names)
  }

  /// Has a server rebuild a recording by its rules. Blocks until that is done.
  package static func remake(_ name: String, at place: StatusPlace) -> Result<RemakingResult, StatusFailure> {
    var json = JSONWriter()
    json.object { $0.member("name", name) }
    let text = question("POST", "/again", body: json.bytes)
    return ask([place], text, within: remakingPatience, RemakingResult.init).map(\.value)
      .mapError { StatusFailure(description: $0.words) }
  }

  /// Returns the settings of the first server that answers. Blocks.
  ///
  /// - Returns: nil if no server answers with its settings.
  package static func settings(_ places: [StatusPlace]) -> [ServerSetting]? {
    for place in places {
      if case .success(let answer) = ask([place], question("GET", "/settings"), ServerSetting.list) {
        return answer.value
      }
    }
    return nil
  }

  /// The reason why a server did not do what it was asked for.
  package struct StatusFailure: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
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
    _ places: [StatusPlace], _ question: [UInt8], within patience: Duration = patience,
    _ read: (JSONValue) -> Value?
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
          // It is a server, and it gives the reason for its refusal.
          if let detail = json?["detail"]?.string { return .failure(Problems(words: detail)) }
          problems.append("\(place.words): the program that answers there is not footage serve")
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
    case .notFound, .connectionRefused: "no server is listening"
    case .permissionDenied: "permission denied (try sudo, or join the group footage-status)"
    case .timedOut: "the server does not respond"
    default: error.description
    }
  }
}
