package import FootageBase

/// The health of a robot and the reasons for it: the answer to `GET /health`.
package struct HealthReport: Hashable, Sendable {
  /// A fact about the robot's health that is worth reporting.
  package struct Reason: Hashable, Sendable {
    /// The raw value of a `HealthCode`, or a code that only later versions of the robot's program know.
    package var code: String
    /// A sentence for people that says what is wrong and what to do.
    package var text: String
    /// The camera that the reason is about; nil for the robot as a whole.
    package var camera: String?

    package init(_ code: HealthCode, _ text: String, camera: String? = nil) {
      self.code = code.rawValue
      self.text = text
      self.camera = camera
    }
  }

  package var status: HealthStatus
  /// The number of recordings in the list, in any state.
  package var recordings: Int
  /// The reasons, the worst one first.
  package var reasons: [Reason]
  /// The time in seconds for which the disk has room at the rate of the last day; nil if it cannot be predicted.
  package var forecastSeconds: Int64?

  /// Creates a report with the status of the worst of its reasons.
  package init(recordings: Int, reasons: [Reason], forecastSeconds: Int64?) {
    self.recordings = recordings
    self.reasons = reasons.enumerated().sorted { one, other in
      let (first, second) = (one.element.status, other.element.status)
      return first == second ? one.offset < other.offset : first > second
    }.map(\.element)
    self.forecastSeconds = forecastSeconds
    status = self.reasons.map(\.status).max() ?? .ok
  }

  /// - Returns: nil if the status is missing or unknown.
  package init?(_ json: JSONValue) {
    guard let status = json["status"]?.string.flatMap(HealthStatus.init) else { return nil }
    self.status = status
    recordings = json["recordings"]?.integer() ?? 0
    reasons = json["reasons"]?.array?.compactMap(Reason.init) ?? []
    forecastSeconds = json["forecastSeconds"]?.integer()
  }

  /// Writes the report as one JSON object.
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
  /// The status of the code. A code that this version does not know counts as `degraded`, because robots report only
  /// problems.
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
