import FootageBase
import FootageFetching
import FootageHTTP
import LinuxTestSupport
import Testing

@testable import FootageStore

/// A store that lies, fails or dies: no lie is believed, and each failure is reported as what it is.
@Suite struct LyingStoreTests {
  private typealias Fault = FakeObjectStore.Fault
  private typealias Answer = FakeObjectStore.Answer
  private static let bytes = Array("0123456789".utf8)

  private static func scene(
    _ adjust: (inout ClientLimits) -> Void = { _ in },
    _ fault: @escaping @Sendable (FakeObjectStore.Request) -> FakeObjectStore.Fault?
  ) throws -> StoreScene {
    let scene = try StoreScene("", adjust)
    scene.store.withContents { $0["a"] = .init(bytes) }
    scene.store.play(fault)
    return scene
  }

  // MARK: The meaning of answers

  @Test(
    arguments: [
      (400, "InvalidArgument", .refused("InvalidArgument"), .denied), (400, nil, .refused("status 400"), .denied),
      (401, nil, .denied(.credentials("status 401")), .denied),
      (403, "SignatureDoesNotMatch", .denied(.credentials("SignatureDoesNotMatch")), .denied),
      (403, "QuotaExceeded", .full("QuotaExceeded"), .full), (413, "EntityTooLarge", .full("EntityTooLarge"), .full),
      (507, nil, .full("status 507"), .full), (404, "NoSuchBucket", .denied(.noBucket), .denied),
      (404, "NoSuchUpload", .notFound, nil), (404, nil, .notFound, nil), (409, "BrokenMPU", .conflict, nil),
      (409, "OperationAborted", .away("OperationAborted"), .away), (412, nil, .preconditionFailed, nil),
      (501, "NotImplemented", .notImplemented, nil), (500, "InternalError", .away("InternalError"), .away),
      (503, "SlowDown", .away("SlowDown"), .away), (503, nil, .away("status 503"), .away),
      (429, nil, .away("status 429"), .away), (400, "BadDigest", .untrusted(.digestRefused), .untrusted),
      (400, "RequestTimeout", .away("RequestTimeout"), .away),
      (403, "RequestTimeTooSkewed", .denied(.clock), .denied),
      (403, "<b>not a code</b>", .denied(.credentials("status 403")), .denied),
      (200, "InternalError", .away("InternalError"), .away), (200, "Anything", .away("Anything"), .away),
      (200, "AccessDenied", .denied(.credentials("AccessDenied")), .denied),
    ] as [(Int, String?, ObjectStoreError.Reason, StoreTrouble?)])
  func `a refusal is told by its code, or by its status`(
    status: Int, code: String?, reason: ObjectStoreError.Reason, trouble: StoreTrouble?
  ) async throws {
    let scene = try Self.scene { _ in code.map { Fault.error(status, $0) } ?? .answer(Answer(status)) }
    let error = await #expect(throws: ObjectStoreError.self) { try await scene.client.put("a", ObjectContent([1])) }
    #expect(error?.reason == reason)
    #expect(error?.trouble == trouble)
    #expect(error?.description.hasPrefix("PUT of 'a': ") == true)
    #expect(error?.description.contains("127.0.0.1:\(scene.store.port)") == true)
    let listed = await StoreScene.reason { _ = try await scene.client.list("") }
    #expect(listed == reason)
  }

  @Test func `a success with an error inside is none, whatever was asked for`() async throws {
    let scene = try Self.scene { _ in .errorInside("SlowDown") }
    let client = scene.client
    let part = UploadedPart(number: 1, entityTag: try #require(EntityTag(strong: "x")))
    let away = ObjectStoreError.Reason.away("SlowDown")
    #expect(await StoreScene.reason { try await client.put("a", ObjectContent([])) } == away)
    #expect(await StoreScene.reason { _ = try await client.createUpload("a") } == away)
    #expect(
      await StoreScene.reason { _ = try await client.uploadPart("a", upload: "u", number: 1, ObjectContent([])) }
        == away)
    #expect(await StoreScene.reason { try await client.completeUpload("a", upload: "u", [part]) } == away)
    #expect(await StoreScene.reason { _ = try await client.listParts("a", upload: "u") } == away)
    #expect(await StoreScene.reason { _ = try await client.listUploads("") } == away)
    #expect(await StoreScene.reason { _ = try await client.list("") } == away)
    #expect(await StoreScene.reason { try await client.delete("a") } == away)
  }

  @Test(
    arguments: [
      ("https://elsewhere.example/recordings/a", "elsewhere.example"), ("/a", nil), ("https://a b/", nil),
    ] as [(String, String?)])
  func `a redirect is told and not followed`(location: String, host: String?) async throws {
    let other = try FakeObjectStore()
    let scene = try Self.scene { _ in .redirect(to: location) }
    #expect(await StoreScene.reason { try await scene.client.put("a", ObjectContent([1])) } == .redirect(to: host))
    #expect(await StoreScene.reason { _ = try await scene.client.head("a") } == .redirect(to: host))
    #expect(scene.store.requests.all.count == 2)
    scene.store.play { _ in .redirect(to: other.address() + "a") }
    #expect(await StoreScene.reason { _ = try await scene.client.get("a") } == .redirect(to: "127.0.0.1:\(other.port)"))
    #expect(other.connections.all.isEmpty)
  }

  // MARK: Bytes

  enum Lie: String, CaseIterable, Sendable {
    case anotherVersion, noVersion, allOfIt, anotherRange, more, fewer, packed

    func tell(_ answer: inout FakeObjectStore.Answer) {
      func replace(_ name: String, _ value: String?) {
        answer.fields.removeAll { $0.name == name }
        if let value { answer.fields.append((name, value)) }
      }
      switch self {
      case .anotherVersion: replace("ETag", "\"x\"")
      case .noVersion: replace("ETag", nil)
      case .allOfIt:
        answer.status = 200
        replace("Content-Range", nil)
      case .anotherRange: replace("Content-Range", "bytes 3-7/10")
      case .more: answer.body += [1]
      case .fewer: answer.body.removeLast()
      case .packed: replace("Content-Encoding", "gzip")
      }
    }
  }

  @Test(arguments: Lie.allCases)
  func `a range is the one that was asked for, of the version, or nothing`(lie: Lie) async throws {
    let scene = try Self.scene { _ in .lie { lie.tell(&$0) } }
    let tag = ObjectContent(Self.bytes).entityTag
    let reason = await StoreScene.reason { _ = try await scene.client.get("a", 2..<7, ifMatch: tag) }
    guard case .untrusted(.bytes)? = reason else {
      Issue.record("\(lie): \(reason as Any)")
      return
    }
  }

  @Test func `a body that is cut off in the middle is no success`() async throws {
    let scene = try Self.scene { _ in .cutOff(4) }
    for range in [nil, 1..<9] as [Range<UInt64>?] {
      let reader = try await scene.client.get("a", range)
      var count = 0
      let reason = await StoreScene.reason { while let bytes = try await reader.next() { count += bytes.count } }
      guard case .away? = reason else {
        Issue.record("\(reason as Any)")
        return
      }
      #expect(count <= 4)
    }
    #expect(await StoreScene.reason { _ = try await scene.client.list("") }?.isAway == true)
  }

  @Test func `a store that promises more than it has is cut off`() async throws {
    let scene = try Self.scene { _ in .lie { $0.claimedLength = 20 } }
    #expect(try await scene.client.head("a")?.length == 20)
    let reader = try await scene.client.get("a")
    #expect(await StoreScene.reason { _ = try await reader.all() }?.isAway == true)
  }

  // MARK: No answer

  @Test func `a store that hangs is given up, and one that is dead is told`() async throws {
    let scene = try Self.scene({
      $0.head = .milliseconds(200)
      $0.connect = .seconds(5)
    }) { _ in .hang }
    #expect(await StoreScene.reason { _ = try await scene.client.head("a") }?.isAway == true)
    scene.store.kill()
    let error = await #expect(throws: ObjectStoreError.self) { _ = try await scene.client.head("a") }
    #expect(error?.trouble == .away)
    try scene.store.restart()
    scene.store.play { _ in nil }
    #expect(try await scene.client.head("a")?.length == 10)
  }

  @Test(arguments: [Fault.closeBefore, .closeInBody(1 << 20), .closeAfter])
  func `a store that dies in a request may have done it or not`(fault: FakeObjectStore.Fault) async throws {
    let scene = try Self.scene { $0.operation == .uploadPart ? fault : nil }
    let id = try await scene.client.createUpload("film")
    let content = PatternBody(length: 3 << 20).content
    #expect(
      await StoreScene.reason {
        _ = try await scene.client.uploadPart("film", upload: id, number: 1, content)
      }?.isAway == true)
    scene.store.play { _ in nil }
    var isDone = false
    if case .closeAfter = fault { isDone = true }
    #expect(try await scene.client.listParts("film", upload: id).count == (isDone ? 1 : 0))
  }

  @Test func `a part that is refused at once is not sent`() async throws {
    let scene = try Self.scene { _ in .answerAtOnce(.error(507, "InsufficientStorage")) }
    let content = PatternBody(length: 2 << 20).content
    #expect(
      await StoreScene.reason { try await scene.client.put("b", content) } == .full("InsufficientStorage"))
    #expect(scene.store.receivedByteCount < 4_096)
  }

  @Test func `bytes that change between their digest and their sending are refused`() async throws {
    let scene = try StoreScene("")
    let measured = PatternBody(length: 100).content
    let signed = ObjectContent(PatternBody(length: 100).all)
    for digests in [measured, signed] {
      let content = ObjectContent(
        .source(PatternBody(length: 100, seed: 2)), sha256: digests.sha256, md5: digests.md5)
      #expect(await StoreScene.reason { try await scene.client.put("a", content) } == .untrusted(.digestRefused))
    }
    #expect(scene.store.withContents { $0.keys } == [])
  }

  // MARK: Lists

  private static func list(_ keys: [String], isTruncated: Bool = false) -> FakeObjectStore.Fault {
    let entries = keys.map { "<Contents><Key>\($0)</Key><Size>1</Size></Contents>" }.joined()
    return .answer(
      Answer(
        200,
        body: Array("<ListBucketResult><IsTruncated>\(isTruncated)</IsTruncated>\(entries)</ListBucketResult>".utf8)))
  }

  @Test(
    arguments: [
      ("unsorted", ["b", "a"], false), ("the same twice", ["a", "a"], false), ("without a key", [""], false),
      ("endless without any", [], true), ("endless with what was there", ["A"], true),
      ("too many", (0..<1_001).map { "k\(10_000 + $0)" }, false),
    ])
  func `a list that cannot be one is refused`(what: String, keys: [String], isTruncated: Bool) async throws {
    let scene = try Self.scene { _ in Self.list(keys, isTruncated: isTruncated) }
    guard case .malformed? = await StoreScene.reason({ _ = try await scene.client.list("", startAfter: "B") }) else {
      Issue.record("\(what) was taken")
      return
    }
  }

  @Test func `what a list has of others is left out`() async throws {
    let scene = try StoreScene("fleet/")
    scene.store.play { _ in
      Self.list(["a", "fleet/robot7", "fleet/robot7/a", "fleet/robot7/b", "fleet/robot70/a", "z"])
    }
    #expect(try await scene.client.list("robot7/").objects.map(\.key) == ["robot7/a", "robot7/b"])
  }

  @Test func `lists of others for ever, and of parts and uploads, come to an end`() async throws {
    let scene = try StoreScene("mine/", limits: Self.fewPages)
    scene.store.play { Self.list(["a\(100_000 + $0.number)"], isTruncated: true) }
    #expect(await StoreScene.reason { _ = try await scene.client.list("") } == .malformed("its list does not end"))
    #expect(scene.store.requests.all.count == 3)
    scene.store.play { request in
      .answer(
        Answer(
          200,
          body: Array(
            """
            <ListMultipartUploadsResult><IsTruncated>true</IsTruncated><Upload><Key>mine/a</Key>\
            <UploadId>\(request.number)</UploadId></Upload></ListMultipartUploadsResult>
            """.utf8)))
    }
    #expect(
      await StoreScene.reason { _ = try await scene.client.listUploads("") } == .malformed("its list does not end"))
    for parts in [[1, 1], [2, 1], [0], [10_001], []] {
      scene.store.play { _ in
        let entries = parts.map { "<Part><PartNumber>\($0)</PartNumber><ETag>\"x\"</ETag></Part>" }.joined()
        return .answer(
          Answer(200, body: Array("<ListPartsResult>\(entries)<IsTruncated>true</IsTruncated></ListPartsResult>".utf8)))
      }
      guard case .malformed? = await StoreScene.reason({ _ = try await scene.client.listParts("a", upload: "u") })
      else {
        Issue.record("\(parts) were taken")
        return
      }
    }
  }

  private static let fewPages = {
    var limits = ObjectStoreLimits()
    limits.pages = 3
    return limits
  }()

  @Test(
    arguments: [
      "", "<html>", "{}", "<ListBucketResult>", "<!DOCTYPE a><a/>", "<Other/>",
      "<ListBucketResult><Contents><Key>a</Key><Size>-1</Size></Contents></ListBucketResult>",
    ])
  func `an answer that is none of a store is told so`(text: String) async throws {
    let scene = try Self.scene { _ in .answer(Answer(200, body: Array(text.utf8))) }
    let error = await #expect(throws: ObjectStoreError.self) { _ = try await scene.client.list("") }
    guard case .malformed? = error?.reason else {
      Issue.record("\(text) was taken for \(error as Any)")
      return
    }
    #expect(error?.trouble == .away)
    #expect(await StoreScene.reason { _ = try await scene.client.createUpload("a") }?.isMalformed == true)
  }

  @Test func `a document that is larger than any is not read to its end`() async throws {
    var limits = ObjectStoreLimits()
    limits.documentBytes = 10_000
    let scene = try StoreScene("", limits: limits)
    scene.store.play { _ in .answer(Answer(200, body: Array(repeating: 0x20, count: 20_000))) }
    #expect(await StoreScene.reason { _ = try await scene.client.list("") }?.isMalformed == true)
  }
}

extension ObjectStoreError.Reason {
  var isAway: Bool { if case .away = self { true } else { false } }
  var isMalformed: Bool { if case .malformed = self { true } else { false } }
}
