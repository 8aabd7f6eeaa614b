package import FootageBase

/// What there is of each camera: the answer to `GET /cameras`.
package struct CameraList: Hashable, Sendable {
  /// One camera, by the recordings that are ready and those that are still recorded.
  package struct Camera: Hashable, Sendable {
    /// Nil for the recordings without a camera.
    package var name: String?
    /// Whose it is, where a server has several robots'; its name begins with that then.
    package var robot: String?
    package var recordingCount: Int
    /// When the earliest of them begins.
    package var from: UnixTimestamp
    /// When the last of them ends, as far as is known.
    package var to: UnixTimestamp
    /// Whether one of them is still recorded.
    package var isLive: Bool
    /// Of the newest pictures, as in RFC 6381; nil where there are none.
    package var codec: String?

    package init(
      name: String?, robot: String? = nil, recordingCount: Int, from: UnixTimestamp, to: UnixTimestamp, isLive: Bool,
      codec: String?
    ) {
      self.name = name
      self.robot = robot
      self.recordingCount = recordingCount
      self.from = from
      self.to = to
      self.isLive = isLive
      self.codec = codec
    }
  }

  package var header: ListHeader
  /// In the order of their names.
  package var cameras: [Camera]

  package init(header: ListHeader, cameras: [Camera]) {
    self.header = header
    self.cameras = cameras
  }

  /// - Returns: nil where what every list, or every camera, has is missing or of another kind.
  package init?(_ json: JSONValue) {
    guard let elements = json["cameras"]?.array else { return nil }
    let cameras = elements.compactMap(Camera.init)
    guard cameras.count == elements.count else { return nil }
    self.init(header: ListHeader(json), cameras: cameras)
  }

  /// Writes it as one JSON object.
  package func write(into json: inout JSONWriter) {
    json.object { json in
      header.write(into: &json)
      json.member("cameras") { json in json.array(cameras) { json, camera in camera.write(into: &json) } }
    }
  }
}

extension CameraList.Camera {
  /// Moments are milliseconds since 1970.
  fileprivate init?(_ json: JSONValue) {
    guard let count: Int = json["recordings"]?.integer(), let from: Int64 = json["from"]?.integer(),
      let to: Int64 = json["to"]?.integer(), let isLive = json["live"]?.bool
    else { return nil }
    self.init(
      name: json["name"]?.string, robot: json["robot"]?.string, recordingCount: count,
      from: UnixTimestamp(milliseconds: from), to: UnixTimestamp(milliseconds: to), isLive: isLive,
      codec: json["codec"]?.string)
  }

  fileprivate func write(into json: inout JSONWriter) {
    json.object { json in
      json.member("name", name)
      if let robot { json.member("robot", robot) }
      json.member("recordings", recordingCount)
      json.member("from", from.milliseconds)
      json.member("to", to.milliseconds)
      json.member("live", isLive)
      json.member("codec", codec)
    }
  }
}
