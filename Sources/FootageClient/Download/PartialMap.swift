/// What a partial file holds: the first so many bytes of one version of one recording.

internal import Formats

struct PartialMap: Hashable, Sendable {
  let name: String
  let version: RecordingVersion
  /// Of these it was made sure that they survive a power cut; in bytes, at most the version's length.
  let received: UInt64

  private static let title = "footage-part 1"

  /// As it stands in the file: a line for each, the last one a word by which a cut shows.
  var text: String {
    """
    \(Self.title)
    name \(PercentEncoding.encodePath(name))
    etag \(version.tag)
    length \(version.length)
    received \(received)
    end

    """
  }

  init(name: String, version: RecordingVersion, received: UInt64) {
    self.name = name
    self.version = version
    self.received = received
  }

  /// Reads what `text` wrote; nil where it is something else.
  init?(_ bytes: [UInt8]) {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
    guard lines.count == 7, lines[0] == Self.title, lines[5] == "end", lines[6].isEmpty,
      let name = Self.value("name", lines[1]).flatMap({ PercentEncoding.decode($0.utf8) }),
      let tag = Self.value("etag", lines[2]), let length = Self.value("length", lines[3]).flatMap(UInt64.init),
      let received = Self.value("received", lines[4]).flatMap(UInt64.init), received <= length,
      length <= UInt64(Int64.max), tag.utf8.first == UInt8(ascii: "\"")
    else { return nil }
    self.init(
      name: String(decoding: name, as: UTF8.self), version: RecordingVersion(tag: tag, length: length),
      received: received)
  }

  private static func value(_ key: String, _ line: String) -> String? {
    line.utf8.starts(with: "\(key) ".utf8) ? String(line.dropFirst(key.count + 1)) : nil
  }
}
