internal import FootageAPI
package import FootageBase
package import FootageLibrary

/// The result of rebuilding a recording, as an answer of the server to `footage ingest --again`.
package struct RemakingResult: Hashable, Sendable {
  package enum Outcome: String, Sendable {
    /// The present rules have another result, which is served now.
    case rebuilt
    /// The present rules have the same result.
    case unchanged
    /// The recording stays as it was. The reason is in the text.
    case failed
  }

  package let name: String
  package let outcome: Outcome
  /// The part that was rebuilt, `header` or `model`; nil unless rebuilt.
  package var why: String?
  /// The entity tags, without quotes, of the version before and of the one that is served now; nil if the recording
  /// could not be rebuilt.
  package var before: String?
  package var after: String?
  /// The reason for a failure, with what to do; nil if there was none.
  package var text: String?

  package init(_ remade: Remade) {
    name = remade.name
    outcome = remade.why == nil ? .unchanged : .rebuilt
    why = remade.why?.rawValue
    (before, after) = (remade.before, remade.after)
  }

  package init(name: String, failed text: String) {
    self.name = name
    outcome = .failed
    self.text = text
  }

  package init?(_ json: JSONValue) {
    guard let name = json["name"]?.string, let outcome = json["outcome"]?.string.flatMap(Outcome.init) else {
      return nil
    }
    self.name = name
    self.outcome = outcome
    (why, before, after) = (json["why"]?.string, json["before"]?.string, json["after"]?.string)
    text = json["text"]?.string
  }

  /// Writes the result as one JSON object.
  package func write(into json: inout JSONWriter) {
    json.object { json in
      json.member("name", name)
      json.member("outcome", outcome.rawValue)
      if let why { json.member("why", why) }
      if let before { json.member("before", before) }
      if let after { json.member("after", after) }
      if let text { json.member("text", text) }
    }
  }
}

/// The names of recordings that older rules made, as an answer of the server.
struct OlderRecordings: Hashable, Sendable {
  var names: [String]

  /// The maximum number of names in an answer.
  static let longestPage = 1_000

  /// - Parameters:
  ///   - all: the names, in the order of their bytes.
  ///   - after: the last name of the page before; nil for the first page.
  init(_ all: [String], after: String?) {
    names = Array(all.filter { name in after.map { ExactName($0) < ExactName(name) } ?? true }.prefix(Self.longestPage))
  }

  init?(_ json: JSONValue) {
    guard let names = json["names"]?.array else { return nil }
    self.names = names.compactMap(\.string)
  }

  func write(into json: inout JSONWriter) {
    json.object { json in json.member("names") { json in json.array(names) { $0.value($1) } } }
  }
}

extension LibraryFindings {
  /// Creates findings from the answer of a server; members that are missing count as nothing found.
  package init?(_ json: JSONValue) {
    guard json["olderRules"] != nil else { return nil }
    self.init()
    olderRules = json["olderRules"]?.integer() ?? 0
    sharedStarts = json["sharedStarts"]?["count"]?.integer() ?? 0
    examples = json["sharedStarts"]?["examples"]?.array?.compactMap(\.string) ?? []
  }

  package func write(into json: inout JSONWriter) {
    json.object { json in
      json.member("olderRules", olderRules)
      json.member("sharedStarts") { json in
        json.object { json in
          json.member("count", sharedStarts)
          json.member("examples") { json in json.array(examples) { $0.value($1) } }
        }
      }
    }
  }
}

extension Finding {
  /// Returns the findings about the recordings of a folder.
  package static func all(_ findings: LibraryFindings) -> [Finding] {
    var all: [Finding] = []
    if findings.sharedStarts > 0, findings.examples.count > 1 {
      let names = findings.examples.map { NameBytes.shown($0) }.joined(separator: " and ")
      all.append(
        Finding(
          .degraded,
          "\(findings.sharedStarts) recordings begin when another of their camera begins, by the times in their names, "
            + "for example \(names): set --layout so that camera and time are read as the recorder means them."))
    }
    if findings.olderRules > 0 {
      let one = findings.olderRules == 1
      all.append(
        Finding(
          .fine,
          "\(findings.olderRules) recording\(one ? " was" : "s were") made by the rules of an earlier version and "
            + "\(one ? "plays as it" : "play as they") did: footage ingest --again --all rebuilds \(one ? "it" : "them")."
        ))
    }
    return all
  }
}
