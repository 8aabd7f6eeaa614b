import FootageDigest
import FootageBase
import Foundation

/// The contents of a fake store, and the traits that it shares with existing engines.
package struct StoreContents: Sendable {
  package struct Object: Sendable {
    package var bytes: [UInt8]
    /// The entity tag, with its quotes.
    package var entityTag: String
    /// True if its upload was aborted after the completion, which removed the parts. The object is listed, and cannot
    /// be read.
    package var isBroken = false

    package init(_ bytes: [UInt8], entityTag: String? = nil) {
      self.bytes = bytes
      self.entityTag = entityTag ?? "\"\(Hexadecimal.encode(MD5.hash(bytes)))\""
    }
  }

  package struct Upload: Sendable {
    package var key: String
    package var parts: [Int: [UInt8]] = [:]
    package var isComplete = false

    package init(key: String, parts: [Int: [UInt8]] = [:]) {
      self.key = key
      self.parts = parts
    }
  }

  /// The objects, by the bytes of their keys.
  private var stored: [[UInt8]: Object] = [:]
  package var uploads: [String: Upload] = [:]
  private var uploadCount = 0

  /// The time that a request's time is compared with, in seconds since 1970; nil for the system's clock.
  package var unixSeconds: Int64?
  /// True if the engine knows conditional PUT requests. Old engines do not.
  package var knowsConditionalPut = true
  /// The smallest size of each part but the last, in bytes.
  package var smallestPart = 5 << 20
  /// The largest number of entries on a page.
  package var pageEntries = 1_000
  /// True for an engine that lists the uploads of `robot7` under `robot7/`.
  package var dropsSlashOfUploadPrefix = false
  /// True for an engine that was killed before it forgot a completed upload.
  package var keepsCompletedUploads = false
  /// The limit for the size of all objects, in bytes.
  package var quota = Int.max

  package subscript(key: String) -> Object? {
    get { stored[Array(key.utf8)] }
    set { stored[Array(key.utf8)] = newValue }
  }

  /// The keys, in the order of their bytes.
  package var keys: [String] {
    stored.keys.sorted { $0.lexicographicallyPrecedes($1) }.map { String(decoding: $0, as: UTF8.self) }
  }

  // MARK: Answers

  typealias Request = FakeObjectStore.Request
  typealias Answer = FakeObjectStore.Answer

  mutating func answer(_ request: Request) -> Answer {
    var answer = refusal(request) ?? perform(request)
    answer.fields.append(("Date", date))
    return answer
  }

  private var now: Int64 { unixSeconds ?? Int64(Date().timeIntervalSince1970) }

  private var date: String {
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = TimeZone(identifier: "GMT")
    format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return format.string(from: Date(timeIntervalSince1970: TimeInterval(now)))
  }

  private func refusal(_ request: Request) -> Answer? {
    let authorization = request.fields["authorization"] ?? ""
    guard authorization.hasPrefix("AWS4-HMAC-SHA256 Credential=\(FakeObjectStore.accessKey)/"),
      authorization.contains("/us-east-1/s3/aws4_request, SignedHeaders="),
      let signed = authorization.components(separatedBy: "SignedHeaders=").last?.components(separatedBy: ",").first?
        .components(separatedBy: ";"), signed == signed.sorted(),
      Set(["host", "x-amz-content-sha256", "x-amz-date"]).isSubset(of: signed),
      signed.allSatisfy({ request.fields[$0] != nil })
    else { return .error(403, "AccessDenied") }
    guard let stamp = request.fields["x-amz-date"], let moment = Self.unixSeconds(stamp), abs(moment - now) <= 900
    else { return .error(403, "RequestTimeTooSkewed") }
    // A body that the signature does not cover is covered by one of the signed fields.
    let isBound = signed.contains("content-md5")
    guard
      request.fields["x-amz-content-sha256"] == Hexadecimal.encode(SHA256.hash(request.body))
        || (request.fields["x-amz-content-sha256"] == "UNSIGNED-PAYLOAD" && isBound)
    else { return .error(400, "XAmzContentSHA256Mismatch") }
    if let md5 = request.fields["content-md5"], md5 != Base64.encode(MD5.hash(request.body)) {
      return .error(400, "BadDigest")
    }
    guard request.bucket == FakeObjectStore.bucket else { return .error(404, "NoSuchBucket") }
    return nil
  }

  /// Parses a stamp such as `20150830T123600Z`.
  private static func unixSeconds(_ stamp: String) -> Int64? {
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = TimeZone(identifier: "GMT")
    format.dateFormat = "yyyyMMdd'T'HHmmss'Z'"
    return format.date(from: stamp).map { Int64($0.timeIntervalSince1970) }
  }

  private mutating func perform(_ request: Request) -> Answer {
    switch request.operation {
    case .head: return request.key.isEmpty ? Answer(200) : read(request, isHead: true)
    case .get: return read(request, isHead: false)
    case .put: return put(request)
    case .delete:
      self[request.key] = nil
      return Answer(204)
    case .list: return list(request)
    case .createUpload:
      uploadCount += 1
      let id = "upload-\(uploadCount)"
      uploads[id] = Upload(key: request.key)
      return document("InitiateMultipartUploadResult", "<UploadId>\(id)</UploadId>")
    case .uploadPart: return uploadPart(request)
    case .listParts: return listParts(request)
    case .listUploads: return listUploads(request)
    case .completeUpload: return complete(request)
    case .abortUpload: return abort(request)
    case nil: return .error(501, "NotImplemented")
    }
  }

  private func document(_ name: String, _ content: String) -> Answer {
    Answer(
      200, [("Content-Type", "application/xml")],
      body: Array(
        """
        <?xml version='1.0' encoding='UTF-8'?>
        <\(name) xmlns="http://s3.amazonaws.com/doc/2006-03-01/">\(content)</\(name)>
        """.utf8))
  }

  static func escaped(_ text: String) -> String {
    text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
      .replacingOccurrences(of: ">", with: "&gt;").replacingOccurrences(of: "\"", with: "&quot;")
  }

  // MARK: Objects

  private func read(_ request: Request, isHead: Bool) -> Answer {
    guard let object = self[request.key] else { return .error(404, "NoSuchKey") }
    if let condition = request.fields["if-match"], condition != object.entityTag {
      return .error(412, "PreconditionFailed")
    }
    if object.isBroken, !isHead { return .error(409, "BrokenMPU") }
    let fields = [("ETag", object.entityTag), ("Last-Modified", date)]
    guard let range = request.fields["range"], range.hasPrefix("bytes=") else {
      return Answer(200, fields, body: object.bytes)
    }
    let ends = range.dropFirst(6).split(separator: "-").compactMap { Int($0) }
    guard ends.count == 2, ends[0] <= ends[1], ends[0] < object.bytes.count else { return .error(416, "InvalidRange") }
    let end = min(ends[1] + 1, object.bytes.count)
    return Answer(
      206, fields + [("Content-Range", "bytes \(ends[0])-\(end - 1)/\(object.bytes.count)")],
      body: Array(object.bytes[ends[0]..<end]))
  }

  private mutating func put(_ request: Request) -> Answer {
    if request.fields["if-none-match"] == "*" {
      guard knowsConditionalPut else { return .error(501, "NotImplemented") }
      guard self[request.key] == nil else { return .error(412, "PreconditionFailed") }
    }
    guard hasRoom(for: request.body.count) else { return .error(403, "QuotaExceeded") }
    let object = Object(request.body)
    self[request.key] = object
    return Answer(200, [("ETag", object.entityTag)])
  }

  private func hasRoom(for count: Int) -> Bool {
    stored.values.reduce(0) { $0 + $1.bytes.count } + count <= quota
  }

  private func list(_ request: Request) -> Answer {
    let prefix = Array((request.query["prefix"] ?? "").utf8)
    let start = Array((request.query["start-after"] ?? "").utf8)
    let limit = min(request.query["max-keys"].flatMap { Int($0) } ?? 1_000, pageEntries)
    let found = stored.keys.filter { $0.starts(with: prefix) && start.lexicographicallyPrecedes($0) }
      .sorted { $0.lexicographicallyPrecedes($1) }
    let entries = found.prefix(limit).map { key in
      let object = stored[key]
      return """
        <Contents><Key>\(Self.escaped(String(decoding: key, as: UTF8.self)))</Key>\
        <Size>\(object?.bytes.count ?? 0)</Size><ETag>\(Self.escaped(object?.entityTag ?? ""))</ETag></Contents>
        """
    }
    return document(
      "ListBucketResult", "<IsTruncated>\(found.count > limit)</IsTruncated>\(entries.joined())")
  }
}

/// Uploads in parts.
extension StoreContents {
  private func upload(_ request: Request) -> (id: String, upload: Upload)? {
    guard let id = request.query["uploadId"], let upload = uploads[id], upload.key.utf8.elementsEqual(request.key.utf8)
    else { return nil }
    return (id, upload)
  }

  private static func entityTag(_ bytes: [UInt8]) -> String { "\"\(Hexadecimal.encode(MD5.hash(bytes)))\"" }

  private mutating func uploadPart(_ request: Request) -> Answer {
    guard let (id, _) = upload(request) else { return .error(404, "NoSuchUpload") }
    guard let number = request.query["partNumber"].flatMap({ Int($0) }), (1...10_000).contains(number) else {
      return .error(400, "InvalidArgument")
    }
    guard hasRoom(for: request.body.count) else { return .error(403, "QuotaExceeded") }
    uploads[id]?.parts[number] = request.body
    return Answer(200, [("ETag", Self.entityTag(request.body))])
  }

  private func listParts(_ request: Request) -> Answer {
    guard let (_, upload) = upload(request) else { return .error(404, "NoSuchUpload") }
    let marker = request.query["part-number-marker"].flatMap { Int($0) } ?? 0
    let limit = min(request.query["max-parts"].flatMap { Int($0) } ?? 1_000, pageEntries)
    let found = upload.parts.filter { $0.key > marker }.sorted { $0.key < $1.key }
    let parts = found.prefix(limit).map { number, bytes in
      """
      <Part><PartNumber>\(number)</PartNumber><ETag>\(Self.escaped(Self.entityTag(bytes)))</ETag>\
      <Size>\(bytes.count)</Size></Part>
      """
    }
    return document(
      "ListPartsResult", "<IsTruncated>\(found.count > limit)</IsTruncated>\(parts.joined())")
  }

  private func listUploads(_ request: Request) -> Answer {
    var prefix = request.query["prefix"] ?? ""
    if dropsSlashOfUploadPrefix, prefix.hasSuffix("/") { prefix.removeLast() }
    let limit = min(request.query["max-uploads"].flatMap { Int($0) } ?? 1_000, pageEntries)
    let marker = request.query["key-marker"].map { (Array($0.utf8), request.query["upload-id-marker"] ?? "") }
    let found: [(key: [UInt8], id: String)] = uploads.map { (key: Array($0.value.key.utf8), id: $0.key) }
      .filter { $0.key.starts(with: prefix.utf8) }
      .sorted { $0.key == $1.key ? $0.id < $1.id : $0.key.lexicographicallyPrecedes($1.key) }
      .filter { upload in
        guard let marker else { return true }
        return upload.key == marker.0 ? upload.id > marker.1 : marker.0.lexicographicallyPrecedes(upload.key)
      }
    let entries = found.prefix(limit).map {
      "<Upload><Key>\(Self.escaped(String(decoding: $0.key, as: UTF8.self)))</Key><UploadId>\($0.id)</UploadId></Upload>"
    }
    return document(
      "ListMultipartUploadsResult", "<IsTruncated>\(found.count > limit)</IsTruncated>\(entries.joined())")
  }

  private mutating func complete(_ request: Request) -> Answer {
    guard let (id, upload) = upload(request) else { return .error(404, "NoSuchUpload") }
    let text = String(decoding: request.body, as: UTF8.self)
    let numbers = Self.contents(of: "PartNumber", in: text).compactMap { Int($0) }
    let tags = Self.contents(of: "ETag", in: text).map { $0.replacingOccurrences(of: "&quot;", with: "\"") }
    guard !numbers.isEmpty, numbers.count == tags.count else { return .error(400, "MalformedXML") }
    guard zip(numbers, numbers.dropFirst()).allSatisfy({ $0 < $1 }) else { return .error(400, "InvalidPartOrder") }
    var bytes: [UInt8] = []
    var digests: [UInt8] = []
    for (number, tag) in zip(numbers, tags) {
      guard let part = upload.parts[number], Self.entityTag(part) == tag else { return .error(400, "InvalidPart") }
      guard number == numbers.last || part.count >= smallestPart else { return .error(400, "EntityTooSmall") }
      bytes += part
      digests += MD5.hash(part)
    }
    self[upload.key] = Object(bytes, entityTag: "\"\(Hexadecimal.encode(MD5.hash(digests)))-\(numbers.count)\"")
    if keepsCompletedUploads { uploads[id]?.isComplete = true } else { uploads[id] = nil }
    return document("CompleteMultipartUploadResult", "<Key>\(Self.escaped(upload.key))</Key>")
  }

  private static func contents(of name: String, in text: String) -> [String] {
    text.components(separatedBy: "<\(name)>").dropFirst().compactMap { $0.components(separatedBy: "</\(name)>").first }
  }

  private mutating func abort(_ request: Request) -> Answer {
    guard let (id, upload) = upload(request) else { return .error(404, "NoSuchUpload") }
    if upload.isComplete { self[upload.key]?.isBroken = true }
    uploads[id] = nil
    return Answer(204)
  }
}
