/// A robot's playlist of a camera's film, by what it lists.
struct FilmList: Sendable {
  let text: [UInt8]
  /// What the addresses of its parts begin with: of a version, or of what grows.
  let keys: Set<String>
  /// Whether nothing more comes (RFC 8216 §4.3.3.4).
  let isWhole: Bool

  /// Of one, in bytes: a day of a camera has less than one.
  static let limit = 4 << 20

  /// What stands before each key, wherever the list lies.
  private static let folder = "hls"

  /// - Returns: nil where it is no playlist.
  init?(_ text: [UInt8]) {
    let words = String(decoding: text, as: UTF8.self)
    guard words.hasPrefix("#EXTM3U") else { return nil }
    self.text = text
    var keys: Set<String> = []
    var isWhole = false
    for line in words.utf8.split(separator: UInt8(ascii: "\n")) {
      if line.starts(with: "#EXT-X-ENDLIST".utf8) { isWhole = true }
      let parts = line.split(separator: UInt8(ascii: "/"))
      guard let folder = parts.firstIndex(where: { $0.elementsEqual(Self.folder.utf8) }) else { continue }
      if let key = parts[(folder + 1)...].first { keys.insert(String(decoding: key, as: UTF8.self)) }
    }
    self.keys = keys
    self.isWhole = isWhole
  }
}
