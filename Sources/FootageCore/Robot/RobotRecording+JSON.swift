package import FootageAPI
internal import FootageBase

extension RobotRecording {
  /// The largest item that is kept, in bytes.
  private static let longestItem = 64 << 10

  /// Reads an item from the text that `itemJSON` holds.
  init?(itemJSON text: String) {
    guard let json = JSONValue(Array(text.utf8)) else { return nil }
    self.init(json)
  }

  /// - Returns: nil if a member that every item has is missing or of the wrong type.
  init?(_ json: JSONValue) {
    guard let recording = try? RobotRecording(listed: json) else { return nil }
    self = recording
  }

  /// - Throws: `RecordingItem.Fault` if a member that every item has is missing or of the wrong type.
  init(listed json: JSONValue) throws(RecordingItem.Fault) {
    let item = try RecordingItem(json)
    name = item.name
    camera = item.camera
    state = item.state
    isRecovered = item.isRecovered
    isKeptByRobot = item.isKept
    size = item.size
    entityTag = item.entityTag
    startedAt = UnixTime(item.startedAt)
    startSource = item.startedFrom.map(StartSource.init)
    startsInFuture = item.isInFuture
    duration = item.duration
    tag = item.tag
    filmShift = item.shift
    keyInterval = item.keyInterval
    video = item.video
    audio = item.audio
    videoTracks = item.videoTracks
    hasVersionedURL = json["versionedURL"]?.string != nil
    var writer = JSONWriter()
    writer.value(json)
    itemJSON = writer.bytes.count <= Self.longestItem ? writer.text : nil
  }

  /// The JSON to keep: the listed item, including members that this client does not know, unless a property was
  /// changed.
  var keptJSON: String {
    var said = self
    said.listedAt = nil
    if let itemJSON, RobotRecording(itemJSON: itemJSON) == said { return itemJSON }
    var writer = JSONWriter()
    item.write(into: &writer)
    return writer.text
  }

  /// The item as the robot and the app write it.
  package var item: RecordingItem {
    RecordingItem(
      name: name, camera: camera, state: state, isRecovered: isRecovered, size: size, entityTag: entityTag,
      tag: tag, startedAt: UnixTimestamp(startedAt), startedFrom: startSource?.word, isInFuture: startsInFuture,
      duration: duration, video: video, audio: audio, videoTracks: videoTracks, isKept: isKeptByRobot, shift: filmShift,
      keyInterval: keyInterval)
  }
}

extension RobotRecording.StartSource {
  fileprivate init(_ word: String) {
    self = [.layout, .name, .creation, .file].first { $0.word == word } ?? .other(word)
  }

  /// The word that the robot writes for this source.
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

extension UnixTimestamp {
  init(_ moment: UnixTime) { self.init(seconds: moment.seconds, milliseconds: moment.milliseconds) }
}
