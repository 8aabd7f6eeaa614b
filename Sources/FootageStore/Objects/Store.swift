package import FootageHTTP

/// A store of objects, as recordings are brought to it, read back and shown out of it. A seam, so that a test can end
/// everything between any two requests.
///
/// Keys are without the address's prefix.
package protocol Store: Sendable {
  /// Asks whether it is there, and lets this robot in.
  func probe() async throws(ObjectStoreError)
  /// - Returns: nil where there is no such object.
  func head(_ key: String) async throws(ObjectStoreError) -> StoredObject?
  /// An object as a whole.
  ///
  /// - Parameter limit: of bytes; a longer one is an error.
  /// - Returns: nil where there is none.
  func bytes(of key: String, limit: Int) async throws(ObjectStoreError) -> [UInt8]?
  /// A range of an object, which the caller knows to be small enough for memory; never fewer bytes.
  ///
  /// - Parameter entityTag: of the one version that will do; nil for any.
  /// - Returns: and what the store says of the object.
  func read(
    _ key: String, in range: Range<UInt64>, ifMatch entityTag: EntityTag?
  ) async throws(ObjectStoreError) -> (bytes: [UInt8], object: StoredObject)
  /// SHA-256 of an object, by reading it back; nil where there is none, or one of another length.
  func digest(of key: String, length: UInt64) async throws(ObjectStoreError) -> [UInt8]?
  /// Writes an object in one request.
  func write(_ content: ObjectContent, as key: String) async throws(ObjectStoreError)
  /// Writes an object unless there is one, which stays as it is. An engine that cannot see to that writes it.
  func writeIfAbsent(_ content: ObjectContent, as key: String) async throws(ObjectStoreError)
  /// - Returns: the upload's ID.
  func beginUpload(of key: String) async throws(ObjectStoreError) -> String
  /// - Returns: in the order of their numbers; nil where the store knows no such upload.
  func parts(of upload: PendingUpload) async throws(ObjectStoreError) -> [UploadedPart]?
  func write(_ content: ObjectContent, asPart number: Int, of upload: PendingUpload) async throws(ObjectStoreError)
  /// Asks for the object to be made of the parts. What comes of it is for `head` to say.
  func finish(_ upload: PendingUpload, _ parts: [UploadedPart]) async throws(ObjectStoreError)
  /// That there is none is fine.
  func abort(_ upload: PendingUpload) async throws(ObjectStoreError)
  /// All that were begun and not finished, below a prefix.
  func listUploads(_ prefix: String) async throws(ObjectStoreError) -> [PendingUpload]
  /// A page of the objects whose keys begin with `prefix`, in the order of their bytes.
  ///
  /// - Parameters:
  ///   - prefix: with a slash at its end where a folder is meant.
  ///   - startAfter: a key, which need not be there; nil for the beginning.
  ///   - count: how many will do; nil for as many as a page has.
  /// - Returns: one object at least where another page follows.
  func list(_ prefix: String, startAfter: String?, atMost count: Int?) async throws(ObjectStoreError) -> ObjectListing
  /// That there is none is fine.
  func delete(_ key: String) async throws(ObjectStoreError)
}

extension Store {
  /// All objects below a prefix, in batches in the order of their keys.
  func objects(below prefix: String, _ each: ([ListedObject]) -> Void) async throws(ObjectStoreError) {
    var position: String?
    while true {
      let page = try await list(prefix, startAfter: position, atMost: nil)
      each(page.objects)
      guard let next = page.next else { return }
      position = next
    }
  }
}
