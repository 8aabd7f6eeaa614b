internal import FootageHTTP

/// The plan for dividing a file into the parts of an upload.
struct PartPlan: Hashable {
  /// The length of the file in bytes.
  let length: UInt64
  /// The size of all parts but the last, in bytes.
  let partSize: UInt64

  /// The largest number of parts that stores accept.
  static let mostParts: UInt64 = 10_000

  /// - Parameter partSize: the size in the manifest.
  /// - Returns: nil if a file of this length cannot be divided in this way.
  init?(length: UInt64, partSize: UInt64) {
    guard partSize > 0, length / partSize < Self.mostParts || length == Self.mostParts * partSize else { return nil }
    self.length = length
    self.partSize = partSize
  }

  /// The number of parts, at least one. An empty file has an empty part.
  var count: Int { max(1, Int(clamping: length / partSize + (length % partSize == 0 ? 0 : 1))) }

  /// True if the file is sent in one request, without an upload in parts.
  var isSingle: Bool { length <= partSize }

  /// - Parameter number: the number of the part, from 1.
  func range(ofPart number: Int) -> Range<UInt64> {
    let start = min(length, UInt64(number - 1) * partSize)
    return start..<min(length, start + partSize)
  }

  /// Returns the entity tag of an object made of these parts, as computed by every store that does not encrypt objects.
  ///
  /// - Parameter digests: the MD5 of each part, in order.
  func entityTag(of digests: [[UInt8]]) -> EntityTag? {
    guard isSingle else { return EntityTag(multipart: digests) }
    return digests.first.map { EntityTag(digest: $0) }
  }
}
