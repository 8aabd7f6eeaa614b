internal import FootageHTTP

/// How a file is cut into the parts of an upload.
struct PartPlan: Hashable {
  /// In bytes.
  let length: UInt64
  /// Of all parts but the last, in bytes.
  let partSize: UInt64

  /// The most parts that engines take.
  static let mostParts: UInt64 = 10_000

  /// - Parameter partSize: as the manifest has it.
  /// - Returns: nil where a file of this length cannot be cut so.
  init?(length: UInt64, partSize: UInt64) {
    guard partSize > 0, length / partSize < Self.mostParts || length == Self.mostParts * partSize else { return nil }
    self.length = length
    self.partSize = partSize
  }

  /// One at least: of an empty file an empty one.
  var count: Int { max(1, Int(clamping: length / partSize + (length % partSize == 0 ? 0 : 1))) }

  /// What goes in one request needs no upload in parts.
  var isSingle: Bool { length <= partSize }

  /// - Parameter number: counted from 1, as engines do.
  func range(ofPart number: Int) -> Range<UInt64> {
    let start = min(length, UInt64(number - 1) * partSize)
    return start..<min(length, start + partSize)
  }

  /// The entity tag that an object of these parts has, as every engine makes it that does not encrypt.
  ///
  /// - Parameter digests: MD5 of each part, in order.
  func entityTag(of digests: [[UInt8]]) -> EntityTag? {
    guard isSingle else { return EntityTag(multipart: digests) }
    return digests.first.map { EntityTag(digest: $0) }
  }
}
