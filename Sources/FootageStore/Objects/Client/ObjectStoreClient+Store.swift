internal import FootageDigest
package import FootageHTTP

extension ObjectStoreClient: Store {
  package func read(
    _ key: String, in range: Range<UInt64>, ifMatch entityTag: EntityTag?
  ) async throws(ObjectStoreError) -> (bytes: [UInt8], object: StoredObject) {
    let reader = try await get(key, range, ifMatch: entityTag)
    return (try await reader.all(), reader.object)
  }

  package func digest(of key: String, length: UInt64) async throws(ObjectStoreError) -> [UInt8]? {
    let reader: ObjectReader
    do throws(ObjectStoreError) { reader = try await get(key) } catch {
      if error.reason == .notFound { return nil }
      throw error
    }
    guard reader.object.length == length else {
      reader.cancel()
      return nil
    }
    var digest = SHA256()
    while let piece = try await reader.next() { digest.update(piece) }
    return digest.finish()
  }

  package func write(_ content: ObjectContent, as key: String) async throws(ObjectStoreError) {
    try await put(key, content)
  }

  package func writeIfAbsent(_ content: ObjectContent, as key: String) async throws(ObjectStoreError) {
    do throws(ObjectStoreError) { try await put(key, content, onlyIfAbsent: true) } catch {
      switch error.reason {
      case .preconditionFailed: return
      case .notImplemented: try await put(key, content)
      default: throw error
      }
    }
  }

  package func beginUpload(of key: String) async throws(ObjectStoreError) -> String { try await createUpload(key) }

  package func parts(of upload: PendingUpload) async throws(ObjectStoreError) -> [UploadedPart]? {
    do throws(ObjectStoreError) { return try await listParts(upload.key, upload: upload.id) } catch {
      if error.reason == .notFound { return nil }
      throw error
    }
  }

  package func write(
    _ content: ObjectContent, asPart number: Int, of upload: PendingUpload
  ) async throws(ObjectStoreError) {
    _ = try await uploadPart(upload.key, upload: upload.id, number: number, content)
  }

  package func finish(_ upload: PendingUpload, _ parts: [UploadedPart]) async throws(ObjectStoreError) {
    do throws(ObjectStoreError) { try await completeUpload(upload.key, upload: upload.id, parts) } catch {
      // A second attempt after a crash. Reading the object shows if it is finished.
      guard error.reason == .notFound else { throw error }
    }
  }

  package func abort(_ upload: PendingUpload) async throws(ObjectStoreError) {
    try await abortUpload(upload.key, upload: upload.id)
  }
}
