internal import FootageAnswers
internal import FootageAPI
internal import FootageBase
internal import FootageHTTP

/// How the robot is, as an answer.
enum HealthDocument {
  /// - Parameters:
  ///   - isLive: whether 200 says no more than that somebody answers; else a robot that is failing gets 503.
  ///   - isShared: whether a cache may keep it for others.
  static func of(_ report: HealthReport, isLive: Bool, isShared: Bool = true) -> HTTPDocument {
    var json = JSONWriter()
    report.write(into: &json)
    // What is so at this moment: no version of anything.
    return HTTPDocument(
      report.status == .failing && !isLive ? .serviceUnavailable : .ok, mediaType: "application/json",
      bytes: json.document, fields: [("Cache-Control", Cacheability.revalidated(isShared: isShared).text)])
  }
}
