internal import FootageAPI

/// A robot's playlist of a camera's film, with the keys of the parts that it lists.
struct FilmList: Sendable {
  let text: [UInt8]
  /// The keys with which the addresses of its parts begin: keys of versions, or IDs of growing recordings. From earlier
  /// robots, they are tags of versions.
  let keys: Set<String>
  /// True if the playlist is complete (RFC 8216 §4.3.3.4).
  let isWhole: Bool

  /// The largest size of a playlist in bytes. The playlist of a camera's day has less than 1 MB.
  static let limit = 4 << 20

  /// - Returns: nil if it is not a playlist.
  init?(_ text: [UInt8]) {
    let words = String(decoding: text, as: UTF8.self)
    guard words.hasPrefix("#EXTM3U") else { return nil }
    self.text = text
    var keys: Set<String> = []
    var isWhole = false
    for line in words.utf8.split(separator: UInt8(ascii: "\n")) {
      if line.starts(with: "#EXT-X-ENDLIST".utf8) { isWhole = true }
      let parts = line.split(separator: UInt8(ascii: "/"))
      guard let folder = parts.firstIndex(where: { $0.elementsEqual(FilmAddress.root.utf8) }) else { continue }
      if let key = parts[(folder + 1)...].first { keys.insert(String(decoding: key, as: UTF8.self)) }
    }
    self.keys = keys
    self.isWhole = isWhole
  }
}
