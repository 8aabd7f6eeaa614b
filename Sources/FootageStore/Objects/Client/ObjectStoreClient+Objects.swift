internal import FootageFetching
package import FootageHTTP

/// The requests for one object.
extension ObjectStoreClient {
  /// Checks that the bucket exists and that the store accepts this key (`HeadBucket`). The request is very cheap for
  /// the store.
  package func probe() async throws(ObjectStoreError) {
    let words = "HEAD of the bucket"
    do throws(ObjectStoreError) {
      _ = try await send(StoreRequest(method: .head, key: nil, words: words))
    } catch {
      // An answer to HEAD has no code to tell a missing bucket from a missing object.
      throw error.reason == .notFound ? failure(.denied(.noBucket), words) : error
    }
  }

  /// Returns an object's length and version.
  ///
  /// - Returns: nil if there is no such object.
  package func head(_ key: String) async throws(ObjectStoreError) -> StoredObject? {
    let words = "HEAD of '\(key)'"
    let request = StoreRequest(method: .head, key: try wholeKey(key, words), words: words)
    let head: ResponseHead
    do throws(ObjectStoreError) { head = try await send(request).head } catch {
      if error.reason == .notFound { return nil }
      throw error
    }
    guard let length = head.contentLength else { throw failure(.malformed("it has no length"), words) }
    return StoredObject(length: length, entityTag: head.entityTag)
  }

  /// Begins to read an object, or a range of one version.
  ///
  /// - Parameters:
  ///   - range: half-open, not empty, within the object; nil for all of it.
  ///   - entityTag: the version; nil for the present one.
  /// - Throws: `preconditionFailed` if the object is a different version, `notFound`, or `untrusted(.bytes)` if the
  ///   response is not what was requested.
  package func get(
    _ key: String, _ range: Range<UInt64>? = nil, ifMatch entityTag: EntityTag? = nil
  ) async throws(ObjectStoreError) -> ObjectReader {
    let words = "GET of '\(key)'"
    var request = StoreRequest(method: .get, key: try wholeKey(key, words), words: words)
    if let range {
      guard !range.isEmpty else { throw failure(.unreadable("the range is empty"), words) }
      request.fields.append(("Range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)"))
    }
    if let entityTag { request.fields.append(("If-Match", entityTag.description)) }
    let response = try await send(request)
    let plan: (range: Range<UInt64>, length: UInt64)
    do throws(ObjectStoreError.Distrust) { plan = try Self.check(response.head, range, entityTag) } catch {
      response.cancel()
      throw failure(.untrusted(error), words)
    }
    return ObjectReader(
      response, range: plan.range, object: StoredObject(length: plan.length, entityTag: response.head.entityTag)
    ) { [self] in failure($0, words) }
  }

  /// - Returns: the range of bytes in the body, and the object's length.
  private static func check(
    _ head: ResponseHead, _ range: Range<UInt64>?, _ entityTag: EntityTag?
  ) throws(ObjectStoreError.Distrust) -> (range: Range<UInt64>, length: UInt64) {
    if let entityTag, head.entityTag != entityTag {
      throw .bytes("they are of a different version from the requested one")
    }
    if head.contentEncoding.map({ $0 != "identity" }) ?? false { throw .bytes("they are encoded") }
    guard let range else {
      guard head.status == .ok, let length = head.contentLength else {
        throw .bytes("it does not announce how many there are")
      }
      return (0..<length, length)
    }
    guard head.status == .partialContent, let content = head.contentRange, content.range == range else {
      throw .bytes("they are not the requested range")
    }
    let count = range.upperBound - range.lowerBound
    guard head.contentLength.map({ $0 == count }) ?? true else { throw .bytes("the range has the wrong length") }
    return (range, content.length)
  }

  /// Returns an object as a whole.
  ///
  /// - Parameter limit: the largest number of bytes; a longer object is an error.
  /// - Returns: nil if there is none.
  package func bytes(of key: String, limit: Int) async throws(ObjectStoreError) -> [UInt8]? {
    let reader: ObjectReader
    do throws(ObjectStoreError) { reader = try await get(key) } catch {
      if error.reason == .notFound { return nil }
      throw error
    }
    guard reader.object.length <= UInt64(limit) else {
      reader.cancel()
      throw failure(
        .untrusted(.bytes("it has \(reader.object.length) bytes, but at most \(limit) were written")), "GET of '\(key)'"
      )
    }
    return try await reader.all()
  }

  /// Writes an object in one request.
  ///
  /// - Parameters:
  ///   - onlyIfAbsent: true to keep an existing object (`If-None-Match: *`); a store that cannot check that refuses the
  ///     request (`notImplemented`).
  /// - Returns: the tag of the written version, which may differ from its MD5; nil if the store reported none.
  /// - Throws: `preconditionFailed` and `conflict` if there is an object already, or if another one is being written.
  @discardableResult
  package func put(
    _ key: String, _ content: ObjectContent, onlyIfAbsent: Bool = false, type: String = ObjectStoreClient.anyType
  ) async throws(ObjectStoreError) -> EntityTag? {
    let words = "PUT of '\(key)'"
    var request = StoreRequest(method: .put, key: try wholeKey(key, words), content: content, words: words)
    request.fields.append(("Content-Type", type))
    if onlyIfAbsent { request.fields.append(("If-None-Match", "*")) }
    return try await finish(request).entityTag
  }

  /// The media type of objects without a more specific one.
  package static let anyType = "application/octet-stream"

  /// Deletes an object, which need not exist.
  package func delete(_ key: String) async throws(ObjectStoreError) {
    let words = "DELETE of '\(key)'"
    try await end(StoreRequest(method: .delete, key: try wholeKey(key, words), words: words))
  }

  /// Sends a request to delete an object or abort an upload, which may not exist any more.
  func end(_ request: StoreRequest) async throws(ObjectStoreError) {
    do throws(ObjectStoreError) { _ = try await finish(request) } catch {
      guard error.reason == .notFound else { throw error }
    }
  }
}
