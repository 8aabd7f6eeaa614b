package import FootageBase

/// The progress of copying recordings to the store, as a server reports it to other programs on its machine.
package struct OffloadReport: Hashable, Sendable {
  /// A task that was requested.
  package struct Task: Hashable, Sendable {
    package enum State: String, Hashable, Sendable { case waiting, running, done, failed }

    /// The number of the task. It increases from task to task.
    package var number: UInt64
    package var verb: String
    package var name: String
    package var state: State
    /// The result of the task, for a person; nil until the task is over.
    package var text: String?

    package init(number: UInt64, verb: String, name: String, state: State, text: String?) {
      self.number = number
      self.verb = verb
      self.name = name
      self.state = state
      self.text = text
    }

    package var isOver: Bool { state == .done || state == .failed }
  }

  /// The recording that is being copied at the moment.
  package struct Transfer: Hashable, Sendable {
    package var name: String
    package var sentBytes: UInt64
    package var totalBytes: UInt64

    package init(name: String, sentBytes: UInt64, totalBytes: UInt64) {
      self.name = name
      self.sentBytes = sentBytes
      self.totalBytes = totalBytes
    }
  }

  /// A recording that cannot be stored.
  package struct Refusal: Hashable, Sendable {
    package var name: String
    package var reason: String

    package init(name: String, reason: String) {
      self.name = name
      self.reason = reason
    }
  }

  /// The store's URL.
  package var store: String
  /// The reasons why recordings do not get into the store; empty if all is well.
  package var troubles: [HealthReport.Reason]
  package var storedCount: Int
  package var storedBytes: UInt64
  package var backlogCount: Int
  package var backlogBytes: UInt64
  /// The time when the oldest recording of the backlog was recorded.
  package var oldest: UnixTimestamp?
  package var lastSuccess: UnixTimestamp?
  package var current: Transfer?
  /// The number of bytes sent since the server's start.
  package var sentBytes: UInt64
  /// The part of `sentBytes` that replaced objects, or parts of objects, which the store already had.
  package var resentBytes: UInt64
  package var refusals: [Refusal]
  package var tasks: [Task]

  package init(
    store: String, troubles: [HealthReport.Reason] = [], storedCount: Int = 0, storedBytes: UInt64 = 0,
    backlogCount: Int = 0, backlogBytes: UInt64 = 0, oldest: UnixTimestamp? = nil, lastSuccess: UnixTimestamp? = nil,
    current: Transfer? = nil, sentBytes: UInt64 = 0, resentBytes: UInt64 = 0, refusals: [Refusal] = [],
    tasks: [Task] = []
  ) {
    self.store = store
    self.troubles = troubles
    self.storedCount = storedCount
    self.storedBytes = storedBytes
    self.backlogCount = backlogCount
    self.backlogBytes = backlogBytes
    self.oldest = oldest
    self.lastSuccess = lastSuccess
    self.current = current
    self.sentBytes = sentBytes
    self.resentBytes = resentBytes
    self.refusals = refusals
    self.tasks = tasks
  }
}

extension OffloadReport {
  /// - Returns: nil if the JSON is not a report.
  package init?(_ json: JSONValue) {
    guard let store = json["store"]?.string, let stored = json["stored"], let backlog = json["backlog"],
      let storedCount: Int = stored["count"]?.integer(), let storedBytes: UInt64 = stored["bytes"]?.integer(),
      let backlogCount: Int = backlog["count"]?.integer(), let backlogBytes: UInt64 = backlog["bytes"]?.integer()
    else { return nil }
    // An earlier version reports one trouble only.
    let troubles = json["troubles"]?.array ?? json["trouble"].map { [$0] } ?? []
    self.init(
      store: store, troubles: troubles.compactMap(HealthReport.Reason.init), storedCount: storedCount,
      storedBytes: storedBytes, backlogCount: backlogCount, backlogBytes: backlogBytes,
      oldest: backlog["oldest"]?.string.flatMap(UnixTimestamp.init(rfc3339:)),
      lastSuccess: json["lastSuccess"]?.string.flatMap(UnixTimestamp.init(rfc3339:)),
      current: json["current"].flatMap(Transfer.init), sentBytes: json["sentBytes"]?.integer() ?? 0,
      resentBytes: json["resentBytes"]?.integer() ?? 0,
      refusals: json["refusals"]?.array?.compactMap(Refusal.init) ?? [],
      tasks: json["tasks"]?.array?.compactMap(Task.init) ?? [])
  }

  /// Writes the report as one JSON object.
  package func write(into json: inout JSONWriter) {
    json.object { json in
      json.member("store", store)
      json.member("troubles") { json in json.array(troubles) { json, trouble in trouble.write(into: &json) } }
      // Programs of an earlier version read this member.
      if let first = troubles.first { json.member("trouble") { first.write(into: &$0) } }
      json.member("stored") { json in
        json.object { json in
          json.member("count", storedCount)
          json.member("bytes", storedBytes)
        }
      }
      json.member("backlog") { json in
        json.object { json in
          json.member("count", backlogCount)
          json.member("bytes", backlogBytes)
          json.member("oldest", oldest?.rfc3339)
        }
      }
      json.member("lastSuccess", lastSuccess?.rfc3339)
      if let current {
        json.member("current") { json in
          json.object { json in
            json.member("name", current.name)
            json.member("sentBytes", current.sentBytes)
            json.member("totalBytes", current.totalBytes)
          }
        }
      }
      json.member("sentBytes", sentBytes)
      json.member("resentBytes", resentBytes)
      json.member("refusals") { json in
        json.array(refusals) { json, refusal in
          json.object { json in
            json.member("name", refusal.name)
            json.member("reason", refusal.reason)
          }
        }
      }
      json.member("tasks") { json in
        json.array(tasks) { json, task in
          json.object { json in
            json.member("number", task.number)
            json.member("verb", task.verb)
            json.member("name", task.name)
            json.member("state", task.state.rawValue)
            json.member("text", task.text)
          }
        }
      }
    }
  }
}

extension OffloadReport.Transfer {
  fileprivate init?(_ json: JSONValue) {
    guard let name = json["name"]?.string, let sent: UInt64 = json["sentBytes"]?.integer(),
      let total: UInt64 = json["totalBytes"]?.integer()
    else { return nil }
    self.init(name: name, sentBytes: sent, totalBytes: total)
  }
}

extension OffloadReport.Refusal {
  fileprivate init?(_ json: JSONValue) {
    guard let name = json["name"]?.string, let reason = json["reason"]?.string else { return nil }
    self.init(name: name, reason: reason)
  }
}

extension OffloadReport.Task {
  fileprivate init?(_ json: JSONValue) {
    guard let number: UInt64 = json["number"]?.integer(), let verb = json["verb"]?.string,
      let name = json["name"]?.string, let state = json["state"]?.string.flatMap(State.init)
    else { return nil }
    self.init(number: number, verb: verb, name: name, state: state, text: json["text"]?.string)
  }
}

/// A request to a server about its store: the body of `POST /offload`.
package struct OffloadRequest: Hashable, Sendable {
  package var verb: String
  /// The names of recordings, at least one; nil for everything that is stored. The body then has the member `all`
  /// instead of names.
  package var names: [String]?

  /// - Parameter names: at least one name; nil for everything that is stored.
  package init(verb: String, names: [String]?) {
    self.verb = verb
    self.names = names
  }

  /// The greatest length of a body in bytes. A longer body is rejected.
  package static let longestBody = 1 << 20

  /// - Returns: nil if the body is not a request. A missing or empty list of names does not mean "all".
  package init?(body: [UInt8]) {
    guard body.count <= Self.longestBody, let json = JSONValue(body), let verb = json["verb"]?.string else {
      return nil
    }
    switch (json["names"], json["all"]?.bool ?? false) {
    case (nil, true): self.init(verb: verb, names: nil)
    case (let names?, false):
      let texts = names.array?.compactMap(\.string) ?? []
      guard !texts.isEmpty, texts.count == names.array?.count else { return nil }
      self.init(verb: verb, names: texts)
    default: return nil
    }
  }

  package var body: [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.member("verb", verb)
      if let names {
        json.member("names") { json in json.array(names) { $0.value($1) } }
      } else {
        json.member("all", true)
      }
    }
    return json.bytes
  }
}
