/// A recording as an item of the list (`GET /recordings`) and as `GET /recordings/NAME.json`.

package import Formats
internal import ISOMedia

extension Recording {
  /// The path of its URL on the server.
  package var urlPath: String { "/recordings/\(PercentEncoding.encodePath(name)).mp4" }

  /// Writes the recording as one JSON object.
  ///
  /// - Parameter now: what the future is marked by.
  package func writeJSON(into json: inout JSONWriter, now: UnixTimestamp) {
    json.object { json in
      json.member("name", name)
      json.member("camera", camera)
      json.member("url", urlPath)
      switch state {
      case .ready: json.member("state", "ready")
      case .recording: json.member("state", "recording")
      case .refused(let reason):
        json.member("state", "refused")
        json.member("reason", reason)
      }
      if isRecovered { json.member("recovered", true) }
      json.member("size", size)
      json.member("etag", entityTag)
      json.member("startedAt", startedAt.rfc3339)
      json.member("startedFrom", start.source.rawValue)
      if isInFuture(at: now) { json.member("future", true) }
      json.member("duration", duration)
      json.member("video") { json in
        guard let video else { return json.value(String?.none) }
        json.object { json in
          json.member("codec", video.codec)
          json.member("width", video.width)
          json.member("height", video.height)
          json.member("frameRate", video.frameRate)
        }
      }
      json.member("audio") { json in
        guard let audio else { return json.value(String?.none) }
        json.object { json in
          json.member("codec", audio.codec)
          json.member("sampleRate", audio.sampleRate)
          json.member("channels", audio.channels)
        }
      }
    }
  }
}
