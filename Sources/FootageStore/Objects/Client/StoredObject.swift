package import FootageHTTP

/// What a store says of an object.
package struct StoredObject: Hashable, Sendable {
  /// In bytes.
  package let length: UInt64
  /// Of this version; nil where the store gives none that is one.
  package let entityTag: EntityTag?

  package init(length: UInt64, entityTag: EntityTag?) {
    self.length = length
    self.entityTag = entityTag
  }
}

/// An object of a listing.
package struct ListedObject: Hashable, Sendable {
  /// Without the address's prefix.
  package let key: String
  /// In bytes.
  package let length: UInt64
  package let entityTag: EntityTag?

  package init(key: String, length: UInt64, entityTag: EntityTag?) {
    self.key = key
    self.length = length
    self.entityTag = entityTag
  }
}

/// A page of a listing, in the order of the keys' bytes.
package struct ObjectListing: Hashable, Sendable {
  package let objects: [ListedObject]
  /// After which key the next page begins; nil at the end.
  package let next: String?

  package init(objects: [ListedObject], next: String?) {
    self.objects = objects
    self.next = next
  }
}

/// An upload in parts that was begun and neither completed nor aborted.
package struct PendingUpload: Hashable, Sendable {
  /// Without the address's prefix.
  package let key: String
  package let id: String

  package init(key: String, id: String) {
    self.key = key
    self.id = id
  }
}

/// A part that the store has.
package struct UploadedPart: Hashable, Sendable {
  /// 1 to 10,000.
  package let number: Int
  package let entityTag: EntityTag
  /// In bytes; nil where the store did not say.
  package var length: UInt64?

  package init(number: Int, entityTag: EntityTag, length: UInt64? = nil) {
    self.number = number
    self.entityTag = entityTag
    self.length = length
  }

  /// What a number may be.
  package static let numbers = 1...10_000
  /// Of each part but the last, in bytes, at least.
  package static let smallest: UInt64 = 5 << 20
}
