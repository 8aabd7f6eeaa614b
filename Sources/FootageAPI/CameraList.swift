package import FootageBase

/// A summary of the recordings of each camera: the answer to `GET /cameras`.
package struct CameraList: Hashable, Sendable {
  /// A camera, described by its recordings that are ready or still being recorded.
  package struct Camera: Hashable, Sendable {
    /// The camera's name; nil for the recordings without a camera.
    package var name: String?
    /// The robot that the camera belongs to, if a server has the recordings of several robots. The name then begins
    /// with it.
    package var robot: String?
    package var recordingCount: Int
    /// The time when the earliest of the recordings begins.
    package var from: UnixTimestamp
    /// The time when the last of the recordings ends, as far as is known.
    package var to: UnixTimestamp
    /// True while one of the recordings is still being recorded.
    package var isLive: Bool
    /// The codec of the newest pictures, as in RFC 6381; nil if there are no pictures.
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
  /// The cameras, sorted by name.
  package var cameras: [Camera]

  package init(header: ListHeader, cameras: [Camera]) {
    self.header = header
    self.cameras = cameras
  }

  /// - Returns: nil if a member that every list or every camera has is missing or has the wrong type.
  package init?(_ json: JSONValue) {
    guard let elements = json["cameras"]?.array else { return nil }
    let cameras = elements.compactMap(Camera.init)
    guard cameras.count == elements.count else { return nil }
    self.init(header: ListHeader(json), cameras: cameras)
  }

  /// Writes the list as one JSON object.
  package func write(into json: inout JSONWriter) {
    json.object { json in
      header.write(into: &json)
      json.member("cameras") { json in json.array(cameras) { json, camera in camera.write(into: &json) } }
    }
  }
}

extension CameraList.Camera {
  /// Reads a camera whose times are milliseconds since 1970.
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
