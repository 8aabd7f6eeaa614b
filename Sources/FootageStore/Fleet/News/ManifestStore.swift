/// What looking for manifests asks of a store: a seam, so that a test can count and fail requests.
package protocol ManifestStore: Sendable {
  /// A page of objects, in the order of their keys.
  ///
  /// - Parameters:
  ///   - startAfter: a key, which need not be there; nil for the beginning.
  ///   - isShort: whether a few will do, where hardly any are expected.
  func objects(
    below prefix: String, startAfter: String?, isShort: Bool
  ) async throws(ObjectStoreError) -> ObjectListing

  /// An object as a whole.
  ///
  /// - Parameter limit: of bytes; a longer one is an error.
  /// - Returns: nil where there is none.
  func bytes(of key: String, limit: Int) async throws(ObjectStoreError) -> [UInt8]?
}

/// A store that is spoken with over a network.
struct RemoteManifestStore: ManifestStore {
  let store: ObjectStoreClient
  /// The same, with short pages.
  let short: ObjectStoreClient

  func objects(
    below prefix: String, startAfter: String?, isShort: Bool
  ) async throws(ObjectStoreError) -> ObjectListing {
    try await (isShort ? short : store).list(prefix, startAfter: startAfter)
  }

  func bytes(of key: String, limit: Int) async throws(ObjectStoreError) -> [UInt8]? {
    try await store.bytes(of: key, limit: limit)
  }
}
