internal import FootageDigest
package import FootageBase

/// A robot's signed description of one version of a recording: its item, and the digests of all its bytes.
///
/// Anyone who knows the robot's pin can use it to check any copy of the recording, regardless of how the copy was
/// obtained.
package struct Manifest: Hashable, Sendable {
  /// The format of the manifests that this program writes.
  package static let format = 1
  /// The number by which the composition refers to the recorder's file. `preambleSource` is the number of the bytes
  /// that are served before the file.
  package static let fileSource = 0
  package static let preambleSource = 1

  /// The ready item as the list had it when the manifest was made.
  package let item: RecordingItem
  /// The `tag` of the list, which names the version in URLs and in stores.
  package let tag: ItemTag
  /// The path of the recorder's file below the recordings folder.
  package let path: String
  /// The time of the last write to the recorder's file, in nanoseconds since 1970.
  package let modifiedNanoseconds: Int64
  /// The version of the layout that the preamble was made with.
  package let layoutVersion: Int
  /// The served bytes in order: ranges of the recorder's file and of the preamble, without literal bytes.
  package let composition: Composition
  /// The digests of the recorder's unchanged file.
  package let file: ObjectDigests
  /// The digests of the preamble; nil if the file is served without one.
  package let preamble: ObjectDigests?
  /// The digests of the sample index; nil if no index can be made of the recording.
  package let index: ObjectDigests?
  /// The digests of the composition's bytes as they are downloaded. They are those of the file if it is served
  /// unchanged.
  package let served: ObjectDigests
  /// True if the composition is exactly the recorder's file.
  package let isServedAsItIs: Bool
  /// The size in bytes of the parts in which an object is uploaded; the last part may be smaller.
  package let partSize: UInt64
  /// The signer's public key, a SubjectPublicKeyInfo (RFC 5280 §4.1.2.7) as DER.
  package let key: [UInt8]

  /// - Parameters:
  ///   - served: nil if the file is served unchanged.
  ///   - partSize: nil for the part size that uploads use today.
  /// - Throws: `ManifestError.badMember` if one member contradicts another.
  package init(
    item: RecordingItem, path: String, modifiedNanoseconds: Int64, layoutVersion: Int, composition: Composition,
    file: ObjectDigests, preamble: ObjectDigests?,
    index: ObjectDigests?, served: ObjectDigests?, partSize: UInt64? = nil, key: [UInt8]
  ) throws(ManifestError) {
    guard item.state == .ready else { throw .badMember("item", reason: "describes a recording that is not ready") }
    guard let tag = item.tag, let entityTag = item.entityTag, VersionTag(entityTag: entityTag) == tag.versionTag else {
      throw .badMember("item", reason: "has no tag, or one that its etag does not begin with")
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
      else { throw .badMember("composition", reason: "has a slice that is not inside an object") }
    }
    isServedAsItIs = composition == Composition(then: [0..<file.size], of: Self.fileSource)
    guard (served == nil) == isServedAsItIs else {
      throw .badMember("served", reason: "must be present if, and only if, the file is not served as it is")
    }
    self.served = served ?? file
    guard self.served.size == composition.length, item.size == composition.length else {
      throw .badMember("composition", reason: "is not as long as the served file")
    }
    let size = partSize ?? Self.partSize(of: file.size)
    guard size > 0, size.isMultiple(of: ObjectDigests.mebibyte), (file.size / size) < ManifestLimits.parts else {
      throw .badMember("partSize", reason: "is not a whole number of mebibytes, or makes more than 10,000 parts")
    }
    let count = file.count + (preamble?.count ?? 0) + (index?.count ?? 0) + (served?.count ?? 0)
    guard count <= ManifestLimits.mebibytes else {
      throw .badMember("objects", reason: "has more than \(ManifestLimits.mebibytes) mebibytes in total")
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

  /// Returns true if a recording with this name can be in the file at this path. The name is usually the path without
  /// its extension of three letters. It is the whole path if two files would have the same name otherwise.
  private static func isPath(_ path: String, of name: String) -> Bool {
    if ExactName(path) == ExactName(name) { return true }
    return path.utf8.count == name.utf8.count + 4 && path.utf8.starts(with: name.utf8)
      && path.utf8.dropFirst(name.utf8.count).first == UInt8(ascii: ".")
  }

  /// Returns 8 MiB, or for larger files the least number of whole mebibytes that makes at most 10,000 parts. Files need
  /// larger parts from about 80 GB on.
  package static func partSize(of size: UInt64) -> UInt64 {
    let least = size / ManifestLimits.parts + (size % ManifestLimits.parts > 0 ? 1 : 0)
    return max(8 << 20, ObjectDigests.count(of: least) * ObjectDigests.mebibyte)
  }

  /// The pin of the signing key.
  package var pin: PublicKeyPin {
    get throws(ManifestError) {
      guard let pin = PublicKeyPin(digest: SHA256.hash(key)) else { throw .unsupportedKey }
      return pin
    }
  }
}
