/// What offloading asks of a store: a seam, so that a test can end it between any two requests, and have it lie.
///
/// Keys are without the address's prefix.
package protocol StoreAccess: Sendable {
  /// Asks whether it is there, and lets this robot in.
  func probe() async throws(ObjectStoreError)
  /// - Returns: nil where there is no such object.
  func head(_ key: String) async throws(ObjectStoreError) -> StoredObject?
  /// An object as a whole.
  ///
  /// - Parameter limit: of bytes; a longer one is an error.
  /// - Returns: nil where there is none.
  func bytes(of key: String, limit: Int) async throws(ObjectStoreError) -> [UInt8]?
  /// A range of an object; never fewer bytes.
  func bytes(of key: String, in range: Range<UInt64>) async throws(ObjectStoreError) -> [UInt8]
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
  /// All objects below a prefix, in batches in the order of their keys.
  func objects(below prefix: String, _ each: ([ListedObject]) -> Void) async throws(ObjectStoreError)
  /// That there is none is fine.
  func delete(_ key: String) async throws(ObjectStoreError)
}
