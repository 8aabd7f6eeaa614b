internal import FootageDigest
package import FootageBase

/// What a robot says, and signs, of one version of a recording: what it is, and the digests of all its bytes.
///
/// Whoever knows the robot's pin can check by it any copy of the recording, whatever road that came.
package struct Manifest: Hashable, Sendable {
  /// Of what is written here.
  package static let format = 1
  /// Sources of the composition: the recorder's file, and the bytes that are served before those of it.
  package static let fileSource = 0
  package static let preambleSource = 1

  /// As it was listed when the manifest was made; it is ready.
  package let item: RecordingItem
  /// The list's `tag`: names the version in URLs and in stores.
  package let tag: FilmKey
  /// Of the recorder's file, below the recordings folder.
  package let path: String
  /// When the recorder's file was last written to, in nanoseconds since 1970.
  package let modifiedNanoseconds: Int64
  /// By which the preamble was made.
  package let layoutVersion: Int
  /// What is served, in order: ranges of the recorder's file and of the preamble, and no literal bytes.
  package let composition: Composition
  /// The recorder's file, untouched.
  package let file: ObjectDigests
  /// Nil where the file is served without.
  package let preamble: ObjectDigests?
  /// The sample index; nil where none can be made of the recording.
  package let index: ObjectDigests?
  /// The bytes that the composition is made of, as they are downloaded: those of the file, where that is served as it
  /// is.
  package let served: ObjectDigests
  /// Whether that is so.
  package let isServedAsItIs: Bool
  /// In bytes: of the parts in which an object is uploaded, the last one excepted.
  package let partSize: UInt64
  /// Of the signer: a SubjectPublicKeyInfo (RFC 5280 §4.1.2.7), DER.
  package let key: [UInt8]

  /// - Parameters:
  ///   - served: nil where the file is served as it is.
  ///   - partSize: nil for the one by which it is uploaded today.
  /// - Throws: `ManifestError.badMember` where one contradicts another.
  package init(
    item: RecordingItem, path: String, modifiedNanoseconds: Int64, layoutVersion: Int, composition: Composition,
    file: ObjectDigests, preamble: ObjectDigests?,
    index: ObjectDigests?, served: ObjectDigests?, partSize: UInt64? = nil, key: [UInt8]
  ) throws(ManifestError) {
    guard item.state == .ready else { throw .badMember("item", reason: "is of a recording that is not ready") }
    guard let tag = item.tag, let entityTag = item.entityTag, VersionTag(entityTag: entityTag) == tag.versionTag else {
      throw .badMember("item", reason: "has no tag, or another one than its etag begins with")
    }
    guard Self.isPath(path, of: item.name) else {
      throw .badMember("path", reason: "is not the item's name with an extension")
    }
    guard composition.slices.count <= ManifestLimits.slices else {
      throw .badMember("composition", reason: "has more than \(ManifestLimits.slices) slices")
    }
    for slice in composition.slices {
      guard case .range(let source, let range) = slice,
        let size = source == Self.fileSource ? file.size : source == Self.preambleSource ? preamble?.size : nil,
        range.upperBound <= size
      else { throw .badMember("composition", reason: "has a slice that lies in no object") }
    }
    isServedAsItIs = composition == Composition(then: [0..<file.size], of: Self.fileSource)
    guard (served == nil) == isServedAsItIs else {
      throw .badMember("served", reason: "is there exactly where something else than the file is served")
    }
    self.served = served ?? file
    guard self.served.size == composition.length, item.size == composition.length else {
      throw .badMember("composition", reason: "is not as long as what is served")
    }
    let size = partSize ?? Self.partSize(of: file.size)
    guard size > 0, size.isMultiple(of: ObjectDigests.mebibyte), (file.size / size) < ManifestLimits.parts else {
      throw .badMember("partSize", reason: "is not in whole mebibytes, or makes more than 10,000 parts")
    }
    let count = file.count + (preamble?.count ?? 0) + (index?.count ?? 0) + (served?.count ?? 0)
    guard count <= ManifestLimits.mebibytes else {
      throw .badMember("objects", reason: "have more than \(ManifestLimits.mebibytes) mebibytes in all")
    }
    guard !key.isEmpty, key.count <= ManifestLimits.key else { throw .unsupportedKey }
    self.item = item
    self.tag = tag
    self.path = path
    self.modifiedNanoseconds = modifiedNanoseconds
    self.layoutVersion = layoutVersion
    self.composition = composition
    self.file = file
    self.preamble = preamble
    self.index = index
    self.partSize = size
    self.key = key
  }

  /// Whether it is what the file of that name is called; where two would have one name, they are called by their paths.
  private static func isPath(_ path: String, of name: String) -> Bool {
    if ExactName(path) == ExactName(name) { return true }
    return path.utf8.count == name.utf8.count + 4 && path.utf8.starts(with: name.utf8)
      && path.utf8.dropFirst(name.utf8.count).first == UInt8(ascii: ".")
  }

  /// 8 MiB; from 80 GB on the least whole mebibytes that make no more than 10,000 parts.
  package static func partSize(of size: UInt64) -> UInt64 {
    let least = size / ManifestLimits.parts + (size % ManifestLimits.parts > 0 ? 1 : 0)
    return max(8 << 20, ObjectDigests.count(of: least) * ObjectDigests.mebibyte)
  }

  /// The pin of the key that signs.
  package var pin: PublicKeyPin {
    get throws(ManifestError) {
      guard let pin = PublicKeyPin(digest: SHA256.hash(key)) else { throw .unsupportedKey }
      return pin
    }
  }
}
