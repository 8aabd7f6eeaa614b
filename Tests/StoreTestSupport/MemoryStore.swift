import FootageBase
import FootageDigest
import FootageFetching
import FootageHTTP
import FootageStore
import Synchronization

/// A store in memory. Its engine can have the peculiarities of existing engines, and the test can make any request fail
/// before or after its effect.
package final class MemoryStore: Store {
  package struct Object: Equatable, Sendable {
    package var bytes: [UInt8]
    package var entityTag: String
    /// The upload that the object was made from.
    var upload: String?

    package init(bytes: [UInt8], entityTag: String) {
      self.bytes = bytes
      self.entityTag = entityTag
    }
  }

  package struct Upload: Sendable {
    package var key: String
    var parts: [Int: (bytes: [UInt8], md5: [UInt8])] = [:]
    /// True if the upload was completed. Engines that were killed at that moment may list it as still open.
    var isFinished = false

    package init(key: String) { self.key = key }
  }

  /// The peculiarities of an engine.
  package struct Engine: Sendable {
    package var knowsConditions = true
    /// True if entity tags are not digests of the bytes.
    package var hidesDigests = false
    /// True if completed uploads stay listed until they are completed once more. To abort one of them removes the
    /// object's parts.
    package var forgetsToFinish = false
    /// True if the answers to completions report failure.
    package var deniesCompletion = false
  }

  package struct Contents: Sendable {
    package var objects: [String: Object] = [:]
    package var uploads: [String: Upload] = [:]
    package var engine = Engine()
    /// The number of times that each part of an upload was sent.
    package var sentParts: [String: Int] = [:]
    fileprivate var lastUpload = 0

    fileprivate func entityTag(_ bytes: [UInt8]) -> String {
      engine.hidesDigests
        ? Hexadecimal.encode(SHA256.hash(bytes + [1]).prefix(16)) : Hexadecimal.encode(MD5.hash(bytes))
    }
  }

  /// The moment at which a request may fail.
  package enum Moment: Sendable { case beforeEffect, afterEffect }

  private let state = Mutex(Contents())
  private let pass: @Sendable (Moment) throws(ObjectStoreError) -> Void

  /// - Parameter pass: called twice for each request; throws the error with which the request fails.
  package init(pass: @escaping @Sendable (Moment) throws(ObjectStoreError) -> Void = { _ in }) { self.pass = pass }

  package static func failure(_ reason: ObjectStoreError.Reason) -> ObjectStoreError {
    ObjectStoreError(reason, "request", of: "memory:443")
  }

  package var contents: Contents {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  package subscript(key: String) -> [UInt8]? {
    get { state.withLock { $0.objects[key]?.bytes } }
    set {
      state.withLock { state in
        state.objects[key] = newValue.map { Object(bytes: $0, entityTag: state.entityTag($0)) }
      }
    }
  }

  private func request<Answer>(_ effect: (inout sending Contents) -> sending Answer) throws(ObjectStoreError) -> Answer
  {
    try pass(.beforeEffect)
    let answer = state.withLock(effect)
    try pass(.afterEffect)
    return answer
  }

  // MARK: Objects

  package func probe() async throws(ObjectStoreError) { try request { _ in } }

  package func head(_ key: String) async throws(ObjectStoreError) -> StoredObject? {
    try request { $0.objects[key].map(Self.stored) }
  }

  private static func stored(_ object: Object) -> StoredObject {
    StoredObject(length: UInt64(object.bytes.count), entityTag: EntityTag(strong: object.entityTag))
  }

  package func bytes(of key: String, limit: Int) async throws(ObjectStoreError) -> [UInt8]? {
    try request { $0.objects[key]?.bytes }
  }

  package func read(
    _ key: String, in range: Range<UInt64>, ifMatch entityTag: EntityTag?
  ) async throws(ObjectStoreError) -> (bytes: [UInt8], object: StoredObject) {
    guard let object = try request({ $0.objects[key] }), range.upperBound <= UInt64(object.bytes.count) else {
      throw Self.failure(.notFound)
    }
    let stored = Self.stored(object)
    guard entityTag == nil || entityTag == stored.entityTag else { throw Self.failure(.preconditionFailed) }
    return (Array(object.bytes[Int(range.lowerBound)..<Int(range.upperBound)]), stored)
  }

  package func digest(of key: String, length: UInt64) async throws(ObjectStoreError) -> [UInt8]? {
    try request { contents in
      contents.objects[key].flatMap { UInt64($0.bytes.count) == length ? SHA256.hash($0.bytes) : nil }
    }
  }

  package func write(_ content: ObjectContent, as key: String) async throws(ObjectStoreError) {
    let bytes = try await Self.bytes(of: content)
    try request { $0.objects[key] = Object(bytes: bytes, entityTag: $0.entityTag(bytes)) }
  }

  package func writeIfAbsent(_ content: ObjectContent, as key: String) async throws(ObjectStoreError) {
    let bytes = try await Self.bytes(of: content)
    try request { contents in
      guard !contents.engine.knowsConditions || contents.objects[key] == nil else { return }
      contents.objects[key] = Object(bytes: bytes, entityTag: contents.entityTag(bytes))
    }
  }

  package func list(
    _ prefix: String, startAfter: String?, atMost count: Int?
  ) async throws(ObjectStoreError) -> ObjectListing {
    let objects = try request { $0.objects }
    let found = objects.filter { object in
      object.key.hasPrefix(prefix) && startAfter.map { $0.utf8.lexicographicallyPrecedes(object.key.utf8) } ?? true
    }.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    let page = found.prefix(count ?? found.count).map {
      ListedObject(key: $0.key, length: UInt64($0.value.bytes.count), entityTag: nil)
    }
    return ObjectListing(objects: page, next: page.count < found.count ? page.last?.key : nil)
  }

  package func delete(_ key: String) async throws(ObjectStoreError) { try request { $0.objects[key] = nil } }

  private static func bytes(of content: ObjectContent) async throws(ObjectStoreError) -> [UInt8] {
    let bytes: [UInt8]
    switch content.body {
    case .none: bytes = []
    case .bytes(let given): bytes = given
    case .source(let source):
      var read: [UInt8] = []
      do throws(HTTPBodySourceError) {
        while UInt64(read.count) < source.length {
          read += try await source.bytes(at: UInt64(read.count), count: Int(source.length) - read.count)
        }
      } catch { throw failure(.unreadable(error.reason)) }
      bytes = read
    }
    // Real engines check this, too.
    guard content.sha256.map({ $0 == SHA256.hash(bytes) }) ?? true, MD5.hash(bytes) == content.md5 else {
      throw failure(.untrusted(.digestRefused))
    }
    return bytes
  }

  // MARK: Uploads

  package func beginUpload(of key: String) async throws(ObjectStoreError) -> String {
    try request { contents in
      contents.lastUpload += 1
      let id = "u\(contents.lastUpload)"
      contents.uploads[id] = Upload(key: key)
      return id
    }
  }

  package func parts(of upload: PendingUpload) async throws(ObjectStoreError) -> [UploadedPart]? {
    try request { contents in
      contents.uploads[upload.id].map { known in
        known.parts.sorted { $0.key < $1.key }.map {
          UploadedPart(number: $0.key, entityTag: EntityTag(digest: $0.value.md5), length: UInt64($0.value.bytes.count))
        }
      }
    }
  }

  package func write(
    _ content: ObjectContent, asPart number: Int, of upload: PendingUpload
  ) async throws(ObjectStoreError) {
    let bytes = try await Self.bytes(of: content)
    let isKnown = try request { contents in
      guard contents.uploads[upload.id] != nil else { return false }
      contents.uploads[upload.id]?.parts[number] = (bytes, MD5.hash(bytes))
      contents.sentParts["\(upload.id)/\(number)", default: 0] += 1
      return true
    }
    guard isKnown else { throw Self.failure(.notFound) }
  }

  package func finish(_ upload: PendingUpload, _ parts: [UploadedPart]) async throws(ObjectStoreError) {
    let isDenied = try request { contents in
      let isDenied = contents.engine.deniesCompletion
      guard let known = contents.uploads[upload.id] else { return isDenied }
      let pieces = parts.compactMap { known.parts[$0.number] }
      guard pieces.count == parts.count else { return isDenied }
      let (digests, bytes) = (pieces.map(\.md5), pieces.flatMap(\.bytes))
      let tag = "\(Hexadecimal.encode(MD5.hash(digests.flatMap { $0 })))-\(digests.count)"
      var object = Object(bytes: bytes, entityTag: contents.engine.hidesDigests ? contents.entityTag(bytes) : tag)
      object.upload = upload.id
      contents.objects[upload.key] = object
      if contents.engine.forgetsToFinish, !known.isFinished {
        contents.uploads[upload.id]?.isFinished = true
      } else {
        contents.uploads[upload.id] = nil
      }
      return isDenied
    }
    if isDenied { throw Self.failure(.away("it says that it failed")) }
  }

  package func abort(_ upload: PendingUpload) async throws(ObjectStoreError) {
    try request { contents in
      guard let known = contents.uploads.removeValue(forKey: upload.id) else { return }
      // The abort removes the object's own parts.
      if known.isFinished, contents.objects[upload.key]?.upload == upload.id {
        contents.objects[upload.key]?.bytes = []
      }
    }
  }

  package func listUploads(_ prefix: String) async throws(ObjectStoreError) -> [PendingUpload] {
    try request { contents in
      contents.uploads.filter { $0.value.key.hasPrefix(prefix) }.map { PendingUpload(key: $0.value.key, id: $0.key) }
        .sorted { $0.id < $1.id }
    }
  }
}
