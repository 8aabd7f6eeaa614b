package import FootageBase

/// How a robot is, and why: the answer to `GET /health`.
package struct HealthReport: Hashable, Sendable {
  /// Something that is worth a word.
  package struct Reason: Hashable, Sendable {
    /// A `HealthCode`, or one that a later version has.
    package var code: String
    /// A sentence for people: what is so, and what to do.
    package var text: String
    /// Which camera it is about; nil for the robot as a whole.
    package var camera: String?

    package init(_ code: HealthCode, _ text: String, camera: String? = nil) {
      self.code = code.rawValue
      self.text = text
      self.camera = camera
    }
  }

  package var status: HealthStatus
  /// How many the list has, in whatever state.
  package var recordings: Int
  /// The worst first.
  package var reasons: [Reason]
  /// How long the disk has room at the rate of the last day; nil where nobody can say.
  package var forecastSeconds: Int64?

  /// As bad as the worst of its reasons.
  package init(recordings: Int, reasons: [Reason], forecastSeconds: Int64?) {
    self.recordings = recordings
    self.reasons = reasons.enumerated().sorted { one, other in
      let (first, second) = (one.element.status, other.element.status)
      return first == second ? one.offset < other.offset : first > second
    }.map(\.element)
    self.forecastSeconds = forecastSeconds
    status = self.reasons.map(\.status).max() ?? .ok
  }

  /// - Returns: nil where the status is missing, or none that is known.
  package init?(_ json: JSONValue) {
    guard let status = json["status"]?.string.flatMap(HealthStatus.init) else { return nil }
    self.status = status
    recordings = json["recordings"]?.integer() ?? 0
    reasons = json["reasons"]?.array?.compactMap(Reason.init) ?? []
    forecastSeconds = json["forecastSeconds"]?.integer()
  }

  /// Writes it as one JSON object.
  package func write(into json: inout JSONWriter) {
    json.object { json in
      json.member("status", status.rawValue)
      json.member("recordings", recordings)
      json.member("reasons") { json in json.array(reasons) { json, reason in reason.write(into: &json) } }
      json.member("forecastSeconds", forecastSeconds)
    }
  }
}

extension HealthReport.Reason {
  /// Of what a later version says, degraded: it would not be said otherwise.
  package var status: HealthStatus { HealthCode(rawValue: code)?.status ?? .degraded }

  init?(_ json: JSONValue) {
    guard let code = json["code"]?.string, let text = json["text"]?.string else { return nil }
    self.code = code
    self.text = text
    camera = json["camera"]?.string
  }

  func write(into json: inout JSONWriter) {
    json.object { json in
      json.member("code", code)
      json.member("text", NameBytes.shown(text))
      if let camera { json.member("camera", NameBytes.shown(camera)) }
    }
  }
}
