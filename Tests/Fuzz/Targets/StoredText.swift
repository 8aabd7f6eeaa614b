/// The text that the app's library stores in files and must be able to read even if it is damaged, and the links that
/// it scans.

internal import FootageCore

enum StoredText {
  static func check(_ bytes: [UInt8]) throws(Finding) {
    if let manifest = VersionManifest(bytes, stem: "x") {
      try expect(
        VersionManifest(Array(manifest.text.utf8), stem: "x") == manifest, "another manifest than \(manifest.text)")
    }
    if let map = PartialFileMap(bytes) {
      try expect(PartialFileMap(Array(map.text.utf8)) == map, "another map than \(map.text)")
    }
    if let file = try? PairingFile(bytes, path: "x") {
      try expect(
        (try? PairingFile(file.bytes, path: "x")) == file,
        "other pairings than \(String(decoding: file.bytes, as: UTF8.self))")
    }
    if let link = try? PairingLink(String(decoding: bytes, as: UTF8.self)) {
      try expect((try? PairingLink(link.description)) == link, "another link than \(link)")
    }
  }
}
