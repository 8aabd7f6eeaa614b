/// A supposedly signed manifest, which may come from a store, a file or an impostor.

internal import FootageAPI
internal import FootageBase

enum ManifestBytes {
  static func check(_ bytes: [UInt8]) throws(Finding) {
    guard let signed = try? SignedManifest(bytes) else { return }
    try expect(signed.bytes == bytes, "other bytes than were read")
    try expect((try? SignedManifest(bytes + [0x0A])) == nil, "a byte behind it is overlooked")
    try expect((try? SignedManifest(Array(bytes.dropLast()))) == nil, "a byte that is missing is overlooked")
    try expect((try? signed.verify(by: [PublicKeyPin]())) == nil, "nobody's key is enough")
    let manifest = signed.manifest
    if let pin = try? manifest.pin, (try? signed.verify(by: [pin])) != nil {
      try expect((try? signed.verify(by: [pin])) == pin, "another key than the one that signed")
    }
    // Seconds are written to the millisecond, so the text is the same only from the second time on.
    let line = manifest.json
    guard let again = try? SignedManifest(line + Array("\nAA==\n".utf8)) else {
      throw Finding(description: "what was read cannot be read again")
    }
    try expect(again.manifest.json == line, "it is written in another way the second time")
    try expect(manifest.served.size == manifest.composition.length, "other lengths")
    for object in [manifest.file, manifest.served] + [manifest.preamble, manifest.index].compactMap({ $0 }) {
      try expect(UInt64(object.count) == ObjectDigests.count(of: object.size), "other counts")
      try expect(object.differences(from: object).isEmpty, "it differs from itself")
      for number in [-1, 0, object.count - 1, object.count, .max] {
        let range = object.range(ofMebibyte: number)
        try expect(range.isEmpty == (object.digest(ofMebibyte: number) == nil), "a mebibyte without a digest")
      }
    }
  }
}
