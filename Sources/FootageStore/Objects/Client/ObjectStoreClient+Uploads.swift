internal import FootageBase
internal import FootageFetching
internal import FootageHTTP

/// Uploads in parts. The store keeps the parts that it has, so that an upload can continue after any interruption.
extension ObjectStoreClient {
  /// - Returns: the upload's ID.
  package func createUpload(
    _ key: String, type: String = ObjectStoreClient.anyType
  ) async throws(ObjectStoreError) -> String {
    let words = "creation of an upload of '\(key)'"
    var request = StoreRequest(method: .post, key: try wholeKey(key, words), query: [("uploads", "")], words: words)
    request.fields.append(("Content-Type", type))
    let answer = try await document(request)
    guard answer.name == "InitiateMultipartUploadResult", let id = answer["UploadId"]?.text, isUploadID(id) else {
      throw failure(.malformed("it has no upload ID"), words)
    }
    return id
  }

  private func isUploadID(_ id: String) -> Bool {
    (1...limits.uploadIDBytes).contains(id.utf8.count) && id.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
  }

  /// Sends a part, which replaces any part with the same number.
  ///
  /// - Parameters:
  ///   - number: 1 to 10,000.
  ///   - content: at least 5 MiB, unless it is the last part.
  /// - Throws: `notFound` if there is no such upload any more.
  package func uploadPart(
    _ key: String, upload: String, number: Int, _ content: ObjectContent
  ) async throws(ObjectStoreError) -> UploadedPart {
    let words = "part \(number) of '\(key)'"
    let request = StoreRequest(
      method: .put, key: try wholeKey(key, words), query: [("partNumber", "\(number)"), ("uploadId", upload)],
      content: content, words: words)
    guard let entityTag = try await finish(request).entityTag else {
      throw failure(.malformed("it has no ETag"), words)
    }
    return UploadedPart(number: number, entityTag: entityTag, length: content.body.length)
  }

  /// Returns the parts that the store has, in the order of their numbers.
  ///
  /// - Throws: `notFound` if there is no such upload any more.
  package func listParts(_ key: String, upload: String) async throws(ObjectStoreError) -> [UploadedPart] {
    let words = "list of the parts of '\(key)'"
    let whole = try wholeKey(key, words)
    var parts: [UploadedPart] = []
    while true {
      let last = parts.last?.number ?? 0
      let answer = try await document(
        StoreRequest(
          method: .get, key: whole,
          query: [
            ("uploadId", upload), ("max-parts", "\(limits.pageEntries)"), ("part-number-marker", "\(last)"),
          ], words: words))
      let page = answer.all("Part").map(Self.part)
      guard answer.name == "ListPartsResult", page.count <= limits.pageEntries else {
        throw failure(.malformed("it is not a list of parts, or lists more than was requested"), words)
      }
      for part in page {
        // The list ends, because the numbers rise and are at most 10,000.
        guard let part, UploadedPart.numbers.contains(part.number), part.number > parts.last?.number ?? 0 else {
          throw failure(.malformed("its parts are not in order"), words)
        }
        parts.append(part)
      }
      guard Self.isTruncated(answer) else { return parts }
      guard !page.isEmpty else { throw failure(.malformed("it announces more parts, but lists none"), words) }
    }
  }

  private static func part(_ element: XMLElement) -> UploadedPart? {
    guard let number = element["PartNumber"].flatMap({ Int($0.text) }),
      let entityTag = element["ETag"].flatMap({ entityTag($0.text) })
    else { return nil }
    return UploadedPart(number: number, entityTag: entityTag, length: element["Size"].flatMap { UInt64($0.text) })
  }

  /// Makes an object from the parts. A successful answer is no proof that the object exists. Use `head` to determine
  /// whether it does.
  ///
  /// - Throws: `notFound` if there is no such upload; it may be complete already.
  package func completeUpload(
    _ key: String, upload: String, _ parts: [UploadedPart]
  ) async throws(ObjectStoreError) {
    let words = "completion of '\(key)'"
    let list = XMLElement(
      "CompleteMultipartUpload",
      parts.map { part in
        XMLElement(
          "Part",
          [
            XMLElement("PartNumber", text: "\(part.number)"), XMLElement("ETag", text: part.entityTag.description),
          ])
      })
    var request = StoreRequest(
      method: .post, key: try wholeKey(key, words), query: [("uploadId", upload)],
      content: ObjectContent(list.document), words: words)
    request.fields.append(("Content-Type", "application/xml"))
    _ = try await finish(request)
  }

  /// Aborts an upload, which need not exist. The store then deletes its parts.
  package func abortUpload(_ key: String, upload: String) async throws(ObjectStoreError) {
    let words = "abort of an upload of '\(key)'"
    try await end(
      StoreRequest(method: .delete, key: try wholeKey(key, words), query: [("uploadId", upload)], words: words))
  }
}
