package import FootageBase

extension RecordingItem {
  /// The reason why an item cannot be read.
  package struct Fault: Error, Hashable, Sendable {
    package let reason: String
  }

  /// - Throws: `Fault` if a member that every item has is missing or has the wrong type.
  package init(_ json: JSONValue) throws(Fault) {
    guard let name = json["name"]?.string, !name.isEmpty else { throw Fault(reason: "it has no name") }
    guard let state = json["state"]?.string else { throw Fault(reason: "'\(name)' has no state") }
    guard let size: UInt64 = json["size"]?.integer() else { throw Fault(reason: "'\(name)' has no size") }
    guard let startedAt = json["startedAt"]?.string.flatMap(UnixTimestamp.init(rfc3339:)) else {
      throw Fault(reason: "'\(name)' has no valid start time")
    }
    self.name = try Self.name(name, json["nameBytes"]?.string)
    self.size = size
    self.startedAt = startedAt
    self.state =
      switch state {
      case "ready": .ready
      case "recording": .recording
      case "refused": .refused(json["reason"]?.string ?? "no reason given")
      default: .other(state)
      }
    startedFrom = json["startedFrom"]?.string
    isInFuture = json["future"]?.bool ?? false
    camera = json["camera"]?.string
    isRecovered = json["recovered"]?.bool ?? false
    entityTag = json["etag"]?.string
    tag = json["tag"]?.string.flatMap { ItemTag($0) }
    isLive = json["live"]?.bool ?? false
    duration = json["duration"]?.double
    video = json["video"].flatMap(VideoFormat.init)
    audio = json["audio"].flatMap(AudioFormat.init)
    videoTracks = VideoTrack.list(json["videoTracks"])
    isKept = json["kept"]?.bool ?? false
    shift = json["shift"]?.integer()
    place = json["place"]?.string.flatMap(Place.init)
    keyInterval = json["keyInterval"]?.double.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
  }

  /// Returns the recording's name. A list gives the name as text and, if the name is not UTF-8, also as bytes.
  private static func name(_ shown: String, _ bytes: String?) throws(Fault) -> String {
    guard let bytes else { return shown }
    guard let name = Base64.decode(bytes).map(NameBytes.text), NameBytes.shown(name) == shown else {
      throw Fault(reason: "'\(shown)' has name bytes that do not match its name")
    }
    return name
  }

  /// Writes the item as one JSON object.
  package func write(into json: inout JSONWriter) {
    json.object { json in
      json.member("name", NameBytes.shown(name))
      if !NameBytes.isPlain(name) { json.member("nameBytes", Base64.encode(NameBytes.bytes(of: name))) }
      json.member("camera", camera.map(NameBytes.shown))
      json.member("url", target)
      if let versionedTarget { json.member("versionedURL", versionedTarget) }
      switch state {
      case .ready: json.member("state", "ready")
      case .recording: json.member("state", "recording")
      case .refused(let reason):
        json.member("state", "refused")
        json.member("reason", reason)
      case .other(let state): json.member("state", state)
      }
      if isLive { json.member("live", true) }
      if isRecovered { json.member("recovered", true) }
      if isKept { json.member("kept", true) }
      if let place { json.member("place", place.rawValue) }
      json.member("size", size)
      json.member("etag", entityTag)
      if let tag { json.member("tag", tag.text) }
      json.member("startedAt", startedAt.rfc3339)
      if let startedFrom { json.member("startedFrom", startedFrom) }
      if isInFuture { json.member("future", true) }
      json.member("duration", duration)
      if let filmTarget { json.member("hls", filmTarget) }
      if let shift { json.member("shift", shift) }
      if let keyInterval { json.member("keyInterval", keyInterval) }
      json.member("video") { json in
        guard let video else { return json.value(String?.none) }
        video.write(into: &json)
      }
      if !videoTracks.isEmpty {
        json.member("videoTracks") { json in VideoTrack.write(videoTracks, into: &json) }
      }
      json.member("audio") { json in
        guard let audio else { return json.value(String?.none) }
        audio.write(into: &json)
      }
    }
  }
}

extension VideoFormat {
  fileprivate init?(_ json: JSONValue) {
    guard let codec = json["codec"]?.string, let width: Int = json["width"]?.integer(),
      let height: Int = json["height"]?.integer()
    else { return nil }
    let rotation: Int? = json["rotation"]?.integer()
    self.init(
      codec: codec, width: width, height: height, frameRate: json["frameRate"]?.double,
      rotation: rotation.flatMap { [90, 180, 270].contains($0) ? $0 : nil })
  }

  fileprivate func write(into json: inout JSONWriter) {
    json.object { json in
      json.member("codec", codec)
      json.member("width", width)
      json.member("height", height)
      json.member("frameRate", frameRate)
      if let rotation { json.member("rotation", rotation) }
    }
  }
}

extension AudioFormat {
  fileprivate init?(_ json: JSONValue) {
    guard let codec = json["codec"]?.string, let sampleRate: Int = json["sampleRate"]?.integer(),
      let channels: Int = json["channels"]?.integer()
    else { return nil }
    self.init(codec: codec, sampleRate: sampleRate, channels: channels)
  }

  fileprivate func write(into json: inout JSONWriter) {
    json.object { json in
      json.member("codec", codec)
      json.member("sampleRate", sampleRate)
      json.member("channels", channels)
    }
  }
}
