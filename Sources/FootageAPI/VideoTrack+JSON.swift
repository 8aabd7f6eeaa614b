package import FootageBase

extension VideoTrack {
  /// Reads the list of an item. Elements that are no tracks, and those that exceed the limit, are left out.
  package static func list(_ json: JSONValue?) -> [VideoTrack] {
    (json?.array ?? []).prefix(numbers.count).compactMap { VideoTrack($0) }
  }

  /// Reads a list that `text(of:)` wrote.
  package static func list(inText text: String) -> [VideoTrack] { list(JSONValue(Array(text.utf8))) }

  /// Returns a list as JSON.
  package static func text(of tracks: [VideoTrack]) -> String {
    var json = JSONWriter()
    write(tracks, into: &json)
    return json.text
  }

  /// Writes a list as one JSON array.
  package static func write(_ tracks: [VideoTrack], into json: inout JSONWriter) {
    json.array(tracks) { json, track in
      json.object { json in
        json.member("number", track.number)
        json.member("codec", track.codec)
        json.member("width", track.width)
        json.member("height", track.height)
        json.member("frameRate", track.frameRate)
      }
    }
  }

  private init?(_ json: JSONValue) {
    guard let number: Int = json["number"]?.integer(), Self.numbers.contains(number),
      let codec = json["codec"]?.string, let width: Int = json["width"]?.integer(),
      let height: Int = json["height"]?.integer()
    else { return nil }
    self.init(number: number, codec: codec, width: width, height: height, frameRate: json["frameRate"]?.double)
  }
}
