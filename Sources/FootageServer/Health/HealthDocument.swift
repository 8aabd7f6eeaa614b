internal import FootageAnswers
internal import FootageAPI
internal import FootageBase
internal import FootageHTTP

/// The health of the robot, as an answer.
enum HealthDocument {
  /// - Parameters:
  ///   - isLive: true if the status is always 200, because the client only asks if the server is running. Otherwise the
  ///     status of a failing robot is 503.
  ///   - isShared: true if a cache may keep the answer for other clients.
  static func of(_ report: HealthReport, isLive: Bool, isShared: Bool = true) -> HTTPDocument {
    var json = JSONWriter()
    report.write(into: &json)
    // The answer describes this moment only, so it has no version.
    return HTTPDocument(
      report.status == .failing && !isLive ? .serviceUnavailable : .ok, mediaType: "application/json",
      bytes: json.document, fields: [("Cache-Control", Cacheability.revalidated(isShared: isShared).text)])
  }
}
