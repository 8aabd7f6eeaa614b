/// Recordings out of, and into, the JSON of `GET /recordings`.

package import Formats

extension RobotRecording {
  /// Of an item that is kept, in bytes.
  private static let longestItem = 64 << 10

  /// Reads what `itemJSON` holds.
  init?(itemJSON text: String) {
    guard let json = JSONValue(Array(text.utf8)) else { return nil }
    self.init(json)
  }

  /// What is wrong with an item.
  struct ItemFault: Error, Hashable {
    let reason: String
  }

  /// - Returns: nil where something that every item has is missing or of another kind.
  init?(_ json: JSONValue) {
    guard let recording = try? RobotRecording(item: json) else { return nil }
    self = recording
  }

  /// - Throws: `ItemFault` where something that every item has is missing or of another kind.
  init(item json: JSONValue) throws(ItemFault) {
    guard let name = json["name"]?.string, !name.isEmpty else { throw ItemFault(reason: "it has no name") }
    guard let state = json["state"]?.string else { throw ItemFault(reason: "'\(name)' has no state") }
    guard let size: UInt64 = json["size"]?.integer() else { throw ItemFault(reason: "'\(name)' has no size") }
    guard let startedAt = json["startedAt"]?.string.flatMap(UnixTime.init(rfc3339:)) else {
      throw ItemFault(reason: "'\(name)' has no time that it started at")
    }
    self.name = name
    self.size = size
    self.startedAt = startedAt
    self.state =
      switch state {
      case "ready": .ready
      case "recording": .recording
      case "refused": .refused(json["reason"]?.string ?? "no reason given")
      default: .other(state)
      }
    startSource = json["startedFrom"]?.string.map(StartSource.init)
    startsInFuture = json["future"]?.bool ?? false
    camera = json["camera"]?.string
    isRecovered = json["recovered"]?.bool ?? false
    entityTag = json["etag"]?.string
    duration = json["duration"]?.double
    video = json["video"].flatMap(Video.init)
    audio = json["audio"].flatMap(Audio.init)
    var item = JSONWriter()
    item.value(json)
    itemJSON = item.bytes.count <= Self.longestItem ? item.text : nil
  }

  /// Writes it as the robot does.
  package func writeJSON(into json: inout JSONWriter) {
    json.object { json in
      json.member("name", name)
      json.member("camera", camera)
      json.member("url", target)
      switch state {
      case .ready: json.member("state", "ready")
      case .recording: json.member("state", "recording")
      case .refused(let reason):
        json.member("state", "refused")
        json.member("reason", reason)
      case .other(let state): json.member("state", state)
      }
      if isRecovered { json.member("recovered", true) }
      json.member("size", size)
      json.member("etag", entityTag)
      json.member(
        "startedAt", UnixTimestamp(seconds: startedAt.seconds, milliseconds: startedAt.milliseconds).rfc3339)
      if let startSource { json.member("startedFrom", startSource.word) }
      if startsInFuture { json.member("future", true) }
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

extension RobotRecording.StartSource {
  fileprivate init(_ word: String) {
    self = [.layout, .name, .creation, .file].first { $0.word == word } ?? .other(word)
  }

  /// As the robot writes it.
  fileprivate var word: String {
    switch self {
    case .layout: "layout"
    case .name: "name"
    case .creation: "creation"
    case .file: "file"
    case .other(let word): word
    }
  }
}

extension RobotRecording.Video {
  fileprivate init?(_ json: JSONValue) {
    guard let codec = json["codec"]?.string, let width: Int = json["width"]?.integer(),
      let height: Int = json["height"]?.integer()
    else { return nil }
    self.init(codec: codec, width: width, height: height, frameRate: json["frameRate"]?.double)
  }
}

extension RobotRecording.Audio {
  fileprivate init?(_ json: JSONValue) {
    guard let codec = json["codec"]?.string, let sampleRate: Int = json["sampleRate"]?.integer(),
      let channels: Int = json["channels"]?.integer()
    else { return nil }
    self.init(codec: codec, sampleRate: sampleRate, channels: channels)
  }
}
