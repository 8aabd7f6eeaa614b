import FootageAPI
import FootageBase
import Foundation
import FootageHTTP
import FootageServing
import FootageLibrary
import FootageSystem
import LinuxTestSupport
import Testing

@testable import FootageServer

@MainActor
@Suite struct LibraryListsTests {
  private let folder: TemporaryFolder
  private let library: RecordingLibrary
  private let viewers = ViewerPlaces()
  private let documents: DocumentQueue
  private let lists: LibraryLists

  init() throws {
    folder = try TemporaryFolder()
    library = try RecordingLibrary(
      recordings: folder.location, role: .server, naming: RecordingNaming(), reading: .inProcess, log: { _ in })
    documents = try DocumentQueue()
    lists = LibraryLists(
      LibraryContents(snapshot: library.snapshot, library: library),
      robot: .ofThisMachine(name: "tin", zone: "Europe/Berlin"), documents: documents, viewers: viewers,
      control: AccessControl(nil))
  }

  /// Puts a file that is not a recording into the folder, so that it is listed as refused.
  private func add(_ name: String) throws {
    let path = folder.path(name + ".mp4")
    try FileManager.default.createDirectory(
      atPath: URL(filePath: path).deletingLastPathComponent().path, withIntermediateDirectories: true)
    try RecordedFile.write(Array("this is no recording".utf8), to: path)
    try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1.7e9)], ofItemAtPath: path)
    publish()
  }

  private func publish() {
    library.refresh()
    lists.update(to: LibraryContents(snapshot: library.snapshot, library: library))
  }

  /// A list, with the response plan for this request.
  private struct Answer {
    var status: Int
    var tag = ""
    var json: JSONValue?
    var fields: [String: String] = [:]

    var recordings: RecordingList? { json.flatMap(RecordingList.init) }
    var cameras: CameraList? { json.flatMap(CameraList.init) }
    /// The code of a problem document.
    var code: ProblemCode? { json?["code"]?.string.flatMap(ProblemCode.init) }
  }

  private func ask(
    _ list: LibraryLists.List, _ fields: String..., over connection: HeldRequest = HeldRequest()
  ) async throws -> Answer {
    try await ask(list, fields, over: connection)
  }

  private func ask(
    _ list: LibraryLists.List, _ fields: [String], over connection: HeldRequest
  ) async throws -> Answer {
    let head = try requestHead(fields)
    switch await lists.answer(with: list, to: Request(head, over: connection)) {
    case .document(let document):
      return Answer(
        status: document.status.code, json: JSONValue(document.bytes),
        fields: Dictionary(document.fields.map { ($0.name.description, $0.value) }) { $1 })
    case .representation(let body, let fields):
      let plan = ResponsePlan(for: head, of: body.metadata, now: 0)
      let bytes = try await body.read(at: 0, count: Int(body.metadata.length))
      #expect(body.metadata.cacheControl == "no-cache" && !body.metadata.entityTag.isWeak)
      return Answer(
        status: plan.status.code, tag: "\(body.metadata.entityTag)", json: JSONValue(bytes),
        fields: Dictionary(fields.map { ($0.name.description, $0.value) }) { $1 })
    }
  }

  private func requestHead(_ fields: [String]) throws -> RequestHead {
    try request(fields.joined(separator: "\r\n"))
  }

  /// Starts a request that waits for the list to change.
  private func wait(
    for list: LibraryLists.List, tag: String, over connection: HeldRequest
  ) -> Task<Answer, any Error> {
    Task { try await ask(list, ["If-None-Match: \(tag)", "Prefer: wait=60"], over: connection) }
  }

  // MARK: Tags

  private static let all = LibraryLists.List.recordings(ListQuery())
  private static let front = LibraryLists.List.recordings(ListQuery(camera: "front"))

  @Test func `a list keeps its tag while it stays the same, and gets another one with every change`() async throws {
    try add("front/a")
    let first = try await ask(Self.all)
    #expect(first.status == 200 && first.recordings?.items.count == 1)
    publish()
    #expect(try await ask(Self.all).tag == first.tag)
    #expect(try await ask(Self.all, "If-None-Match: \(first.tag)").status == 304)
    #expect(try await ask(Self.front).tag == first.tag)
    try add("rear/b")
    let second = try await ask(Self.all, "If-None-Match: \(first.tag)")
    #expect(second.status == 200 && second.tag != first.tag)
    #expect(try await ask(Self.front, "If-None-Match: \(first.tag)").status == 304)
  }

  @Test func `a robot says its name, zone and version, and the asker's rights, in both lists`() async throws {
    for list in [Self.all, .cameras] {
      let answer = try await ask(list)
      let header = try #require(answer.recordings?.header ?? answer.cameras?.header)
      let robot = RobotDescription(name: "tin", zone: "Europe/Berlin", version: FootageVersion.number)
      #expect(header == ListHeader(robot: robot, may: []))
    }
    #expect(RobotDescription.ofThisMachine(name: nil, zone: "UTC").name?.contains(".") == false)
    #expect(try await ask(.cameras).cameras?.cameras.isEmpty == true)
  }

  // MARK: Waiting

  @Test func `a request waits through what does not concern it, and is answered with what does`() async throws {
    try add("front/a")
    let tag = try await ask(Self.front).tag
    let connection = HeldRequest()
    let waiting = wait(for: Self.front, tag: tag, over: connection)
    await connection.waitUntilHeld()
    #expect(lists.waitingCount == 1)
    try add("rear/b")
    await connection.waitUntilHeld(2)
    try add("front/c")
    let answer = try await waiting.value
    #expect(answer.status == 200 && answer.recordings?.items.count == 2)
    #expect(answer.fields == ["Preference-Applied": "wait=60"])
    #expect(connection.holdCount == 2)
    #expect(lists.waitingCount == 0 && viewers.viewerCount == 0)
  }

  @Test func `a list is made once for all who wait for it`() async throws {
    try add("front/a")
    let lists = [Self.all, Self.front, .cameras]
    var waiting: [(HeldRequest, Task<Answer, any Error>)] = []
    for list in lists {
      let tag = try await ask(list).tag
      for number in 0..<5 as Range<UInt8> {
        let connection = HeldRequest(from: [192, 0, 2, number])
        waiting.append((connection, wait(for: list, tag: tag, over: connection)))
        await connection.waitUntilHeld()
      }
    }
    #expect(documents.comparisonCount == 0)
    // A refused file is listed, but belongs to no camera.
    try add("rear/b")
    for (_, answer) in waiting[..<5] { #expect(try await answer.value.status == 200) }
    for (connection, answer) in waiting[5...] {
      await connection.waitUntilHeld(2)
      connection.expire()
      #expect(try await answer.value.status == 304)
    }
    #expect(documents.comparisonCount == 3)
  }

  @Test func `whatever others wait for, each viewer waits for lists of its own`() async throws {
    var waiting: [(HeldRequest, Task<Answer, any Error>)] = []
    for camera in 0..<80 {
      let list = LibraryLists.List.recordings(ListQuery(camera: "c\(camera)"))
      let connection = HeldRequest(from: [10, 0, 0, UInt8(camera / 16)])
      waiting.append((connection, wait(for: list, tag: try await ask(list).tag, over: connection)))
      await connection.waitUntilHeld()
    }
    #expect(lists.waitingCount == 80 && viewers.viewerCount == 5)
    let list = LibraryLists.List.recordings(ListQuery(camera: "c0"))
    let refused = try await wait(
      for: list, tag: try await ask(list).tag, over: HeldRequest(from: [10, 0, 0, 4])
    ).value
    #expect(refused.status == 429 && refused.code == .tooManyWaiting)
    for (connection, answer) in waiting {
      connection.expire()
      #expect(try await answer.value.status == 304)
    }
    #expect(lists.waitingCount == 0 && viewers.viewerCount == 0)
  }

  /// The names are equal as strings.
  @Test func `cameras whose names differ in bytes alone are waited for apart`() async throws {
    let spellings = ["\u{E9}", "e\u{301}"]
    for name in spellings { try add("\(name)/a") }
    var waiting: [(HeldRequest, Task<Answer, any Error>)] = []
    for name in spellings {
      let list = LibraryLists.List.recordings(ListQuery(camera: name))
      let connection = HeldRequest()
      waiting.append((connection, wait(for: list, tag: try await ask(list).tag, over: connection)))
      await connection.waitUntilHeld()
    }
    try add("\(spellings[1])/b")
    #expect(try await waiting[1].1.value.status == 200)
    await waiting[0].0.waitUntilHeld(2)
    waiting[0].0.expire()
    #expect(try await waiting[0].1.value.status == 304)
  }

  @Test func `a request whose time is over gets 304`() async throws {
    let tag = try await ask(.cameras).tag
    let connection = HeldRequest()
    let waiting = wait(for: .cameras, tag: tag, over: connection)
    await connection.waitUntilHeld()
    connection.expire()
    let answer = try await waiting.value
    #expect(answer.status == 304 && answer.fields == ["Preference-Applied": "wait=60"])
    #expect(lists.waitingCount == 0 && viewers.viewerCount == 0)
  }

  @Test func `nobody waits who has another list, asks for none in particular, or does not want to`() async throws {
    let tag = try await ask(Self.all).tag
    let connection = HeldRequest()
    let other = try await ask(Self.all, "If-None-Match: \"other\"", "Prefer: wait=60", over: connection)
    #expect(other.status == 200 && other.fields == ["Preference-Applied": "wait=60"])
    #expect(try await ask(Self.all, "Prefer: wait=60", over: connection).fields.isEmpty)
    #expect(try await ask(Self.all, "If-None-Match: \(tag)", "Prefer: wait=soon", over: connection).status == 304)
    #expect(try await ask(Self.all, "If-Match: \"other\"", "Prefer: wait=60", over: connection).status == 412)
    #expect(connection.holdCount == 0)
  }

  @Test(arguments: [nil, "alice"])
  func `one viewer has sixteen requests waiting, and the next one is told to ask later`(client: String?) async throws {
    let tag = try await ask(Self.all).tag
    func connection(_ address: [UInt8]) -> HeldRequest { HeldRequest(from: address, client: client) }
    // An address counts as one viewer, and so do an IPv6 network and this machine. A certificate is the same viewer at
    // any address.
    for (one, other) in [
      ([192, 0, 2, 7], [192, 0, 2, 8]), ([127, 0, 0, 1], [192, 0, 2, 7]),
      ([UInt8](repeating: 1, count: 16), [1, 1, 1, 1, 1, 1, 1, 2] + [UInt8](repeating: 1, count: 8)),
    ] as [([UInt8], [UInt8])] {
      let connections = (0..<16).map { number in
        connection(one.first == 127 ? (number % 2 == 0 ? one : [127, 0, 0, 2]) : one.dropLast() + [one[one.count - 1]])
      }
      let waiting = connections.map { wait(for: Self.all, tag: tag, over: $0) }
      for connection in connections { await connection.waitUntilHeld() }
      let refused = try await ask(
        Self.all, "If-None-Match: \(tag)", "Prefer: wait=60",
        over: connection(one.count == 16 ? one.dropLast() + [9] : one))
      #expect(refused.status == 429 && refused.code == .tooManyWaiting)
      #expect(refused.fields["Retry-After"] != nil && refused.fields["Cache-Control"] == "no-store")
      if client == nil {
        let elsewhere = connection(other)
        let another = wait(for: Self.all, tag: tag, over: elsewhere)
        await elsewhere.waitUntilHeld()
        elsewhere.expire()
        #expect(try await another.value.status == 304)
      }
      for connection in connections { connection.expire() }
      for one in waiting { #expect(try await one.value.status == 304) }
      #expect(viewers.viewerCount == 0)
    }
  }
}
