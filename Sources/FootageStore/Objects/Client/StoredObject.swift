package import FootageHTTP

/// The length and the version of an object, as a store reports them.
package struct StoredObject: Hashable, Sendable {
  /// The length in bytes.
  package let length: UInt64
  /// The tag of this version; nil if the store reports no valid one.
  package let entityTag: EntityTag?

  package init(length: UInt64, entityTag: EntityTag?) {
    self.length = length
    self.entityTag = entityTag
  }
}

/// An object of a listing.
package struct ListedObject: Hashable, Sendable {
  /// The key without the address's prefix.
  package let key: String
  /// The length in bytes.
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
  /// The key after which the next page begins; nil at the end.
  package let next: String?

  package init(objects: [ListedObject], next: String?) {
    self.objects = objects
    self.next = next
  }
}

/// An upload in parts that was begun and neither completed nor aborted.
package struct PendingUpload: Hashable, Sendable {
  /// The key without the address's prefix.
  package let key: String
  package let id: String

  package init(key: String, id: String) {
    self.key = key
    self.id = id
  }
}

/// A part that the store has.
package struct UploadedPart: Hashable, Sendable {
  /// The number, from 1 to 10,000.
  package let number: Int
  package let entityTag: EntityTag
  /// The length in bytes; nil if the store did not report it.
  package var length: UInt64?

  package init(number: Int, entityTag: EntityTag, length: UInt64? = nil) {
    self.number = number
    self.entityTag = entityTag
    self.length = length
  }

  /// The numbers that parts may have.
  package static let numbers = 1...10_000
  /// The smallest size in bytes of each part but the last.
  package static let smallest: UInt64 = 5 << 20
}
