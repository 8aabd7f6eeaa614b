package import FootageHTTP

/// A store of objects, to which recordings are copied, and from which they are served. Tests replace it to interrupt
/// the work between any two requests.
///
/// Keys do not include the address's prefix.
package protocol Store: Sendable {
  /// Checks that the store answers and accepts this robot's key.
  func probe() async throws(ObjectStoreError)
  /// - Returns: nil if there is no such object.
  func head(_ key: String) async throws(ObjectStoreError) -> StoredObject?
  /// Returns an object as a whole.
  ///
  /// - Parameter limit: the largest number of bytes; a longer object is an error.
  /// - Returns: nil if there is none.
  func bytes(of key: String, limit: Int) async throws(ObjectStoreError) -> [UInt8]?
  /// Reads a range of an object, which the caller knows to be small enough for memory. It never returns fewer bytes.
  ///
  /// - Parameter entityTag: the tag of the only acceptable version; nil for any version.
  /// - Returns: the bytes, with the length and version of the object.
  func read(
    _ key: String, in range: Range<UInt64>, ifMatch entityTag: EntityTag?
  ) async throws(ObjectStoreError) -> (bytes: [UInt8], object: StoredObject)
  /// Returns the SHA-256 of an object by reading it back; nil if there is none, or if its length differs.
  func digest(of key: String, length: UInt64) async throws(ObjectStoreError) -> [UInt8]?
  /// Writes an object in one request.
  func write(_ content: ObjectContent, as key: String) async throws(ObjectStoreError)
  /// Writes an object unless there is one, which then stays as it is. If an engine cannot check whether there is one,
  /// the object is written.
  func writeIfAbsent(_ content: ObjectContent, as key: String) async throws(ObjectStoreError)
  /// - Returns: the upload's ID.
  func beginUpload(of key: String) async throws(ObjectStoreError) -> String
  /// - Returns: the parts in the order of their numbers; nil if the store knows no such upload.
  func parts(of upload: PendingUpload) async throws(ObjectStoreError) -> [UploadedPart]?
  func write(_ content: ObjectContent, asPart number: Int, of upload: PendingUpload) async throws(ObjectStoreError)
  /// Requests that the object be made from the parts. Use `head` to determine whether it was made.
  func finish(_ upload: PendingUpload, _ parts: [UploadedPart]) async throws(ObjectStoreError)
  /// Aborts an upload. It is no error if there is none.
  func abort(_ upload: PendingUpload) async throws(ObjectStoreError)
  /// Returns all uploads below a prefix that were begun and not finished.
  func listUploads(_ prefix: String) async throws(ObjectStoreError) -> [PendingUpload]
  /// Returns a page of the objects whose keys begin with `prefix`, in the order of the keys' bytes.
  ///
  /// - Parameters:
  ///   - prefix: ends with a slash if a folder is meant.
  ///   - startAfter: a key, which need not exist; nil for the beginning.
  ///   - count: the number of objects to request; nil for a full page.
  /// - Returns: at least one object if another page follows.
  func list(_ prefix: String, startAfter: String?, atMost count: Int?) async throws(ObjectStoreError) -> ObjectListing
  /// Deletes an object. It is no error if there is none.
  func delete(_ key: String) async throws(ObjectStoreError)
}

extension Store {
  /// Passes all objects below a prefix to `each`, in batches in the order of their keys.
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
