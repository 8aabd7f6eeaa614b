internal import FootageDigest
internal import FootageBase

/// Reads and writes a manifest as one line of JSON.
extension Manifest {
  private static let sources: [(name: String, number: Int)] = [("file", fileSource), ("preamble", preambleSource)]

  /// The line that is signed, without a line feed. Equal values give equal bytes.
  package var json: [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.member("format", Self.format)
      json.member("item") { item.write(into: &$0) }
      json.member("tag", tag.text)
      json.member("layout", layoutVersion)
      json.member("path", path)
      json.member("modifiedNanoseconds", modifiedNanoseconds)
      json.member("composition") { json in
        json.array(composition.slices) { json, slice in
          // Only ranges of sources are allowed as slices.
          guard case .range(let source, let range) = slice else { return }
          json.object { json in
            json.member("object", Self.sources.first { $0.number == source }?.name)
            json.member("from", range.lowerBound)
            json.member("to", range.upperBound)
          }
        }
      }
      json.member("objects") { json in
        json.object { json in
          json.member("file") { file.write(into: &$0) }
          if let preamble { json.member("preamble") { preamble.write(into: &$0) } }
          if let index { json.member("index") { index.write(into: &$0) } }
        }
      }
      if !isServedAsItIs { json.member("served") { served.write(into: &$0) } }
      json.member("partSize", partSize)
      json.member("key", PublicKeyText.pem(key))
    }
    return json.bytes
  }

  /// Reads the line that is signed. It may come from anyone. Members that a later version of the robot's program adds
  /// are ignored.
  ///
  /// - Throws: `ManifestError`.
  init(json bytes: [UInt8]) throws(ManifestError) {
    let values = bytes.count { $0 == UInt8(ascii: ",") }
    guard values <= ManifestLimits.values else { throw .malformed("its first line has too many values") }
    guard let json = JSONValue(bytes, repeatedKeys: false), case .object = json else {
      throw .malformed("its first line is not a JSON object, or repeats a member")
    }
    guard let format: Int = json["format"]?.integer() else { throw .badMember("format", reason: "is missing") }
    guard format == Self.format else { throw .unsupportedFormat(format) }
    guard let text = json["key"]?.string, let key = PublicKeyText.key(text) else {
      throw .badMember("key", reason: "is not a public key in PEM")
    }
    guard let described = json["item"] else { throw .badMember("item", reason: "is missing") }
    let item: RecordingItem
    do throws(RecordingItem.Fault) { item = try RecordingItem(described) } catch {
      throw .badMember("item", reason: "cannot be read: \(error.reason)")
    }
    guard let path = json["path"]?.string else { throw .badMember("path", reason: "is not a string") }
    guard let modified: Int64 = json["modifiedNanoseconds"]?.integer() else {
      throw .badMember("modifiedNanoseconds", reason: "is not an integer")
    }
    guard let layout: Int = json["layout"]?.integer() else { throw .badMember("layout", reason: "is not an integer") }
    guard let partSize: UInt64 = json["partSize"]?.integer() else {
      throw .badMember("partSize", reason: "is not an integer")
    }
    guard let objects = json["objects"], case .object = objects else {
      throw .badMember("objects", reason: "is not an object")
    }
    guard let file = try ObjectDigests(objects["file"], "file") else {
      throw .badMember("objects", reason: "has no file")
    }
    try self.init(
      item: item, path: path, modifiedNanoseconds: modified, layoutVersion: layout,
      composition: try Self.composition(json["composition"]), file: file,
      preamble: try ObjectDigests(objects["preamble"], "preamble"), index: try ObjectDigests(objects["index"], "index"),
      served: try ObjectDigests(json["served"], "served"), partSize: partSize, key: key)
    guard json["tag"]?.string == tag.text else { throw .badMember("tag", reason: "is not the item's tag") }
  }

  private static func composition(_ json: JSONValue?) throws(ManifestError) -> Composition {
    guard let slices = json?.array, slices.count <= ManifestLimits.slices else {
      throw .badMember("composition", reason: "is not an array, or is too long")
    }
    var composition = Composition()
    for slice in slices {
      guard let source = sources.first(where: { $0.name == slice["object"]?.string })?.number,
        let from: UInt64 = slice["from"]?.integer(), let to: UInt64 = slice["to"]?.integer(), from < to,
        composition.hasRoom(for: to - from)
      else { throw .badMember("composition", reason: "has an invalid slice") }
      composition.append(from..<to, of: source)
    }
    return composition
  }
}

extension ObjectDigests {
  fileprivate func write(into json: inout JSONWriter) {
    json.object { json in
      json.member("size", size)
      json.member("sha256", Hexadecimal.encode(digest))
      json.member("mebibytes") { json in
        json.array(0..<count) { json, number in
          json.value(digest(ofMebibyte: number).map { Hexadecimal.encode($0) })
        }
      }
    }
  }

  /// - Returns: nil if there is no such member.
  fileprivate init?(_ json: JSONValue?, _ name: String) throws(ManifestError) {
    guard let json else { return nil }
    guard let size: UInt64 = json["size"]?.integer(), let digest = json["sha256"]?.string,
      let mebibytes = json["mebibytes"]?.array, mebibytes.count <= ManifestLimits.mebibytes
    else { throw .badMember(name, reason: "lacks its size or its digests") }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(mebibytes.count * Self.digestLength)
    for mebibyte in mebibytes { bytes += try Self.digest(mebibyte.string, name) }
    guard let made = ObjectDigests(size: size, digest: try Self.digest(digest, name), mebibytes: bytes) else {
      throw .badMember(name, reason: "does not have one digest for each mebibyte")
    }
    self = made
  }

  private static func digest(_ text: String?, _ name: String) throws(ManifestError) -> [UInt8] {
    guard let text, let bytes = Hexadecimal.decode(text), bytes.count == digestLength else {
      throw .badMember(name, reason: "has a digest that is not 64 hexadecimal digits in lower case")
    }
    return bytes
  }
}
