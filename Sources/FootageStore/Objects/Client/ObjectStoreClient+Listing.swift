internal import FootageBase
internal import FootageHTTP

/// The listings. A store may list more keys than were requested, and a hostile one may list any keys. Each key is
/// therefore compared with the request, byte by byte, and a list whose keys do not increase is refused.
extension ObjectStoreClient {
  /// Returns a page of the objects whose keys begin with `prefix`, in the order of the keys' bytes.
  ///
  /// - Parameters:
  ///   - prefix: without the address's prefix; ends with a slash if a folder is meant.
  ///   - startAfter: a key without the address's prefix, which need not exist; nil for the beginning.
  ///   - count: the number of objects to request; nil for a full page.
  /// - Returns: at least one object if another page follows.
  package func list(
    _ prefix: String, startAfter: String? = nil, atMost count: Int? = nil
  ) async throws(ObjectStoreError) -> ObjectListing {
    let words = "list of '\(prefix)'"
    let whole = address.prefix + prefix
    var position = startAfter.map { address.prefix + $0 }
    for _ in 0..<limits.pages {
      let page = try await page(whole, startAfter: position, atMost: count, words)
      var objects: [ListedObject] = []
      for object in page.objects where ObjectKey.starts(object.key, with: whole) {
        objects.append(
          ListedObject(key: relative(object.key), length: object.length, entityTag: object.entityTag))
      }
      guard page.isTruncated else { return ObjectListing(objects: objects, next: nil) }
      if let last = objects.last { return ObjectListing(objects: objects, next: last.key) }
      position = page.objects.last?.key
    }
    throw failure(.malformed("its list does not end"), words)
  }

  /// Returns a key without the address's prefix.
  ///
  /// - Parameter key: a key as the store lists it, which begins with the prefix.
  private func relative(_ key: String) -> String {
    String(Substring(key.utf8.dropFirst(address.prefix.utf8.count)))
  }

  /// - Parameter startAfter: a key with the address's prefix.
  private func page(
    _ prefix: String, startAfter: String?, atMost count: Int?, _ words: String
  ) async throws(ObjectStoreError) -> (objects: [ListedObject], isTruncated: Bool) {
    var query = [("list-type", "2"), ("max-keys", "\(min(count ?? .max, limits.pageEntries))"), ("prefix", prefix)]
    if let startAfter { query.append(("start-after", startAfter)) }
    let answer = try await document(StoreRequest(method: .get, key: nil, query: query, words: words))
    let entries = answer.all("Contents")
    guard answer.name == "ListBucketResult", entries.count <= limits.pageEntries else {
      throw failure(.malformed("it is not a list of objects, or lists more than was requested"), words)
    }
    var objects: [ListedObject] = []
    for entry in entries {
      guard let key = entry["Key"]?.text, !key.isEmpty, let length = entry["Size"].flatMap({ UInt64($0.text) }) else {
        throw failure(.malformed("it has an object without a key or size"), words)
      }
      if let last = objects.last?.key ?? startAfter, !ObjectKey.precedes(last, key) {
        throw failure(.malformed("its objects are not in order"), words)
      }
      objects.append(
        ListedObject(key: key, length: length, entityTag: entry["ETag"].flatMap { Self.entityTag($0.text) }))
    }
    let isTruncated = Self.isTruncated(answer)
    guard !isTruncated || !objects.isEmpty else {
      throw failure(.malformed("it announces more objects, but lists none"), words)
    }
    return (objects, isTruncated)
  }

  /// Returns the uploads of objects whose keys begin with `prefix` that were neither completed nor aborted.
  ///
  /// - Parameter prefix: without the address's prefix; ends with a slash if a folder is meant.
  package func listUploads(_ prefix: String) async throws(ObjectStoreError) -> [PendingUpload] {
    let words = "list of the uploads of '\(prefix)'"
    let whole = address.prefix + prefix
    var uploads: [PendingUpload] = []
    var marker: (key: String, id: String)?
    for _ in 0..<limits.pages {
      var query = [("uploads", ""), ("max-uploads", "\(limits.pageEntries)"), ("prefix", whole)]
      if let marker { query += [("key-marker", marker.key), ("upload-id-marker", marker.id)] }
      let answer = try await document(StoreRequest(method: .get, key: nil, query: query, words: words))
      let page = answer.all("Upload").map { (key: $0["Key"]?.text ?? "", id: $0["UploadId"]?.text ?? "") }
      guard answer.name == "ListMultipartUploadsResult", page.count <= limits.pageEntries else {
        throw failure(.malformed("it is not a list of uploads, or lists more than was requested"), words)
      }
      for upload in page {
        guard !upload.key.isEmpty, !upload.id.isEmpty, upload.id.utf8.count <= limits.uploadIDBytes else {
          throw failure(.malformed("it has an upload without a key or an ID"), words)
        }
        // Uploads of one key are in no order that their IDs reveal.
        if let last = marker, ObjectKey.precedes(upload.key, last.key) || upload == last {
          throw failure(.malformed("its uploads are not in order"), words)
        }
        marker = upload
        guard ObjectKey.starts(upload.key, with: whole) else { continue }
        uploads.append(PendingUpload(key: relative(upload.key), id: upload.id))
      }
      guard Self.isTruncated(answer) else { return uploads }
      guard !page.isEmpty else { break }
    }
    throw failure(.malformed("its list does not end"), words)
  }

  static func isTruncated(_ answer: XMLElement) -> Bool { answer["IsTruncated"]?.text == "true" }

  /// Returns the tag with its quotes, which some stores omit in documents.
  static func entityTag(_ text: String) -> EntityTag? { EntityTag(text) ?? EntityTag(strong: text) }
}
