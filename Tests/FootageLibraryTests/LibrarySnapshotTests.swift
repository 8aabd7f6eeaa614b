/// The list: its order, its pages, its JSON.

import FootageAPI
import FootageBase
import FootageMedia
import FootageSystem
import LinuxTestSupport
import Testing

@testable import FootageLibrary

func makeRecording(
  _ path: String, startedAt: Int64 = 0, milliseconds: Int = 0, state: Recording.State = .ready, name: String? = nil,
  creationSeconds: Int64? = nil
) -> Recording {
  guard case .recording(let own) = RecordingName.of(RelativePath(path)) else { preconditionFailure(path) }
  let content = Recording.Content(
    tag: "00112233445566ff8899aabbccddeeff",
    composition: Composition(preambleLength: 100, body: [10..<110, 200..<1_000]) ?? Composition(),
    preambleDigest: [1, 2], mediaType: .mp4, index: IndexSummary(length: 9, shift: 2, keyInterval: 2.5),
    indexDigest: [3, 4])
  return Recording(
    path: RelativePath(path), name: name ?? own.text, camera: RecordingNaming().meaning(of: own.text).camera,
    state: state,
    start: StartTime(
      UnixTimestamp(seconds: creationSeconds ?? startedAt, milliseconds: milliseconds),
      creationSeconds == nil ? .name : .creation),
    creationSeconds: creationSeconds, duration: state == .ready ? 60.0333 : nil,
    video: state == .ready
      ? VideoFormat(codec: "avc1.64001F", width: 1280, height: 720, frameRate: 30, rotation: 90)
      : nil,
    audio: nil,
    version: FileVersion(device: 1, inode: 2, size: 1_000, modifiedNanoseconds: -1),
    content: state == .ready ? content : nil, place: LibraryPaths(recordings: "/r", state: "/s"))
}

@Suite struct LibrarySnapshotTests {
  /// Three recordings begin in each second, so that paths determine the order, too.
  let recordings = (0..<1_000).map { makeRecording("c\($0 % 7)/\($0).mp4", startedAt: Int64($0 / 3)) }

  func walk(_ snapshot: LibrarySnapshot, _ query: ListQuery) -> [[String]] {
    var query = query
    var pages: [[String]] = []
    while true {
      let page = snapshot.page(of: query)
      pages.append(page.recordings.map(\.name))
      guard let next = page.next else { return pages }
      // The cursor as it passes through a URL.
      query.after = ListCursor(text: next.text)
      if query.after == nil || pages.count > 2_000 { return [["the cursor does not go on"]] }
    }
  }

  @Test func `the newest come first, and of equal ones the first path`() {
    let snapshot = LibrarySnapshot([
      makeRecording("b.mp4", startedAt: 5), makeRecording("a.mp4", startedAt: 5), makeRecording("c.mp4", startedAt: 9),
    ])
    #expect(snapshot.recordings.map(\.name) == ["c", "a", "b"])
  }

  @Test(arguments: [1, 7, 100, 333, 999, 1_000])
  func `the pages together are the list`(limit: Int) {
    let snapshot = LibrarySnapshot(recordings.shuffled())
    let pages = walk(snapshot, ListQuery(limit: limit))
    #expect(pages.joined().elementsEqual(snapshot.recordings.map(\.name)))
    #expect(pages.dropLast().allSatisfy { $0.count == limit })
    #expect(pages.count == (1_000 + limit - 1) / limit)
  }

  @Test func `each filter takes what it says`() {
    var all = recordings
    all.append(makeRecording("c0/x.mp4", startedAt: 500, state: .refused("why")))
    all.append(makeRecording("y.mp4", startedAt: 501, state: .recording))
    let snapshot = LibrarySnapshot(all)
    func names(_ query: ListQuery) -> Set<String> { Set(walk(snapshot, query).joined()) }
    func expected(_ isWanted: (Recording) -> Bool) -> Set<String> { Set(all.filter(isWanted).map(\.name)) }
    #expect(names(ListQuery(camera: "c3", limit: 10)) == expected { $0.camera == "c3" })
    #expect(names(ListQuery(since: UnixTimestamp(seconds: 100), limit: 10)) == expected { $0.startedAt.seconds >= 100 })
    #expect(names(ListQuery(until: UnixTimestamp(seconds: 100), limit: 10)) == expected { $0.startedAt.seconds < 100 })
    let (since, until) = (UnixTimestamp(seconds: 100), UnixTimestamp(seconds: 102))
    #expect(
      names(ListQuery(since: since, until: until, limit: 2)) == expected { (100..<102).contains($0.startedAt.seconds) })
    #expect(names(ListQuery(state: .refused)) == ["c0/x"])
    #expect(names(ListQuery(state: .recording)) == ["y"])
    #expect(names(ListQuery(camera: "c0", since: UnixTimestamp(seconds: 400), state: .ready)) == [])
    #expect(names(ListQuery(until: UnixTimestamp(milliseconds: .min))).isEmpty)
    #expect(names(ListQuery(since: UnixTimestamp(milliseconds: .max))).isEmpty)
  }

  @Test func `a limit beyond its bounds is taken for the nearest`() {
    let snapshot = LibrarySnapshot(recordings + (0..<10).map { makeRecording("z\($0).mp4") })
    #expect(snapshot.page(of: ListQuery(limit: 0)).recordings.count == 1)
    #expect(snapshot.page(of: ListQuery(limit: .max)).recordings.count == LibraryLimits.pageLength)
  }

  @Test func `a walk gives each recording once, whatever comes and goes meanwhile`() {
    var generator = SeededGenerator(seed: 7)
    var snapshot = LibrarySnapshot(recordings)
    var there = recordings
    let lasting = Set(recordings.prefix(500).map(\.name))
    var seen: [String] = []
    var query = ListQuery(limit: 13)
    while true {
      let page = snapshot.page(of: query)
      seen += page.recordings.map(\.name)
      guard let next = page.next else { break }
      query.after = next
      for index in 0..<5 {
        let new = makeRecording(
          "new/\(seen.count)-\(index).mp4", startedAt: Int64.random(in: 0..<400, using: &generator))
        snapshot.replace(nil, with: new)
        there.append(new)
        let victim = Int.random(in: 500..<there.count, using: &generator)
        snapshot.replace(there.remove(at: victim), with: nil)
      }
    }
    #expect(Set(seen).count == seen.count)
    #expect(lasting.isSubset(of: seen))
  }

  @Test func `any sequence of changes leaves what a fresh snapshot would have`() {
    var generator = SeededGenerator(seed: 3)
    var snapshot = LibrarySnapshot()
    var model: [String: Recording] = [:]
    for step in 0..<6_000 {
      let path = "\(Int.random(in: 0..<900, using: &generator)).mp4"
      let new =
        step % 3 == 0 ? nil : makeRecording(path, startedAt: Int64.random(in: 0..<50, using: &generator))
      snapshot.replace(model[path], with: new)
      model[path] = new
    }
    #expect(snapshot.count == model.count)
    #expect(snapshot.recordings.map(\.name) == LibrarySnapshot(Array(model.values)).recordings.map(\.name))
    for (path, recording) in model { #expect(snapshot.recording(named: String(path.dropLast(4))) === recording) }
  }

  @Test func `a copy keeps what it was`() {
    var snapshot = LibrarySnapshot(recordings)
    let before = snapshot
    for recording in recordings.prefix(400) { snapshot.replace(recording, with: nil) }
    #expect(before.recordings.count == 1_000)
    #expect(snapshot.recordings.count == 600)
    #expect(before.recording(named: recordings[0].name) === recordings[0])
    #expect(snapshot.recording(named: recordings[0].name) == nil)
    #expect(snapshot.generation == before.generation + 400)
  }

  @Test(arguments: [
    "", "5", "_", "x_61", "5_6", "5_zz", "5_ff", "5_61_61", "99999999999999999999_61",
    // A cursor of a version with whole seconds only.
    "1795169730~61",
  ])
  func `a cursor that we did not write is none`(text: String) {
    #expect(ListCursor(text: text).place == nil)
  }

  @Test func `an item is written exactly so`() {
    var json = JSONWriter()
    makeRecording("front/50% ü.mp4", startedAt: 1_795_169_730, milliseconds: 250)
      .item(at: UnixTimestamp(seconds: 1_795_169_611)).write(into: &json)
    #expect(
      json.text == """
        {"name":"front/50% ü","camera":"front","url":"/recordings/front/50%25%20%C3%BC.mp4",\
        "versionedURL":"/recordings/front/50%25%20%C3%BC.mp4?v=00112233445566ff","state":"ready","size":1000,\
        "etag":"\\"00112233445566ff8899aabbccddeeff\\"","tag":"00112233445566ff",\
        "startedAt":"2026-11-20T10:15:30.250Z","startedFrom":"name","duration":60.033,\
        "hls":"/recordings/front/50%25%20%C3%BC.m3u8","shift":2,"keyInterval":2.5,\
        "video":{"codec":"avc1.64001F","width":1280,"height":720,"frameRate":30.0,"rotation":90},"audio":null}
        """)
  }

  @Test func `an item that cannot be played says why`() {
    var json = JSONWriter()
    makeRecording("x.mp4", state: .refused("it is \"broken\"")).item(at: UnixTimestamp(seconds: 0)).write(into: &json)
    #expect(
      json.text == """
        {"name":"x","camera":null,"url":"/recordings/x.mp4","state":"refused","reason":"it is \\"broken\\"",\
        "size":1000,"etag":null,"startedAt":"1970-01-01T00:00:00.000Z","startedFrom":"name","duration":null,"video":null,"audio":null}
        """)
  }

  @Test(arguments: [(1_795_169_609, true), (1_795_169_610, false), (1_795_169_611, false)] as [(Int64, Bool)])
  func `a start further ahead of the clock than a minute and its length is marked`(now: Int64, isMarked: Bool) {
    var json = JSONWriter()
    makeRecording("x.mp4", startedAt: 1_795_169_730).item(at: UnixTimestamp(seconds: now)).write(into: &json)
    #expect(json.text.contains(#""startedFrom":"name","future":true,"#) == isMarked)
  }

  @Test func `what begins within one second is in order all the same`() {
    let all = (0..<10).map { makeRecording("\($0).mp4", startedAt: 5, milliseconds: $0 * 100) }
    let pages = walk(LibrarySnapshot(all.shuffled()), ListQuery(limit: 3))
    #expect(pages.joined().elementsEqual((0..<10).reversed().map { "\($0)" }))
    let until = ListQuery(
      since: UnixTimestamp(seconds: 5, milliseconds: 300), until: UnixTimestamp(seconds: 5, milliseconds: 600))
    #expect(walk(LibrarySnapshot(all), until) == [["5", "4", "3"]])
  }

  @Test func `last-modified is rounded down, before 1970 too`() {
    #expect(makeRecording("x.mp4").lastModified == -1)
  }
}
