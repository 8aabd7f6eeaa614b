import FootageAPI
import FootageBase
import FootageSystem
import LinuxTestSupport
import Testing

@testable import FootageLibrary

/// Each recording lasts 60.033 s, except refused files.
@Suite struct TimelineTests {
  private func range(_ from: Int64, _ to: Int64) -> Range<UnixTimestamp> {
    UnixTimestamp(seconds: from)..<UnixTimestamp(seconds: to)
  }

  private func visible(_ snapshot: LibrarySnapshot, _ cameras: CameraSelection = .all) -> VisibleRecordings {
    VisibleRecordings(snapshot, of: cameras)
  }

  private func names(_ timeline: Timeline<Recording>?) -> [String]? {
    timeline?.spans.flatMap { $0.entries.map(\.recording.name) }
  }

  /// Returns the expected result, by examining every recording.
  private func expected(
    _ recordings: [Recording], _ camera: String?, _ range: Range<UnixTimestamp>
  ) -> Set<String> {
    Set(
      recordings.filter {
        $0.camera == camera && $0.startedAt < range.upperBound
          && ($0.startedAt >= range.lowerBound || $0.timelineEntry.to > range.lowerBound)
      }.map(\.name))
  }

  @Test func `a camera's recordings are found by the time into which they reach, in their order`() {
    // Three cameras with many overlapping recordings, enough for several runs.
    let recordings = (0..<2_000).map { makeRecording("c\($0 % 3)/\($0).mp4", startedAt: Int64($0 / 3) * 40) }
    let snapshot = LibrarySnapshot(recordings.shuffled())
    for (from, to) in [
      (0, 1), (60, 61), (61, 61), (100, 5_000), (26_000, 26_700), (26_701, 30_000), (-9, 0), (0, 90_000),
    ] {
      let range = range(Int64(from), Int64(max(from, to)))
      let found = names(visible(snapshot).timeline(ofCamera: "c1", in: range)) ?? []
      #expect(Set(found) == (from < to ? expected(recordings, "c1", range) : []) && Set(found).count == found.count)
      let starts = found.compactMap { snapshot.recording(named: $0)?.startedAt }
      #expect(starts == starts.sorted())
    }
  }

  @Test func `a long recording is found behind any number of short ones that began later`() {
    var snapshot = LibrarySnapshot([])
    let long = Recording(
      path: RelativePath("c/long.mp4"), name: "c/long", camera: "c", state: .ready,
      start: StartTime(UnixTimestamp(seconds: 0), .name), duration: 1e6,
      version: makeRecording("c/x.mp4").version, place: makeRecording("c/x.mp4").place)
    snapshot.replace(nil, with: long)
    let short = (1...1_000).map { makeRecording("c/\($0).mp4", startedAt: Int64($0) * 100) }
    for recording in short.shuffled() { snapshot.replace(nil, with: recording) }
    #expect(names(visible(snapshot).timeline(ofCamera: "c", in: range(500_000, 500_001))) == ["c/long"])
    #expect(names(visible(snapshot).timeline(ofCamera: "c", in: range(50_000, 50_001))) == ["c/long", "c/500"])
    // Without the long recording, its run is skipped.
    snapshot.replace(long, with: nil)
    #expect(names(visible(snapshot).timeline(ofCamera: "c", in: range(500_000, 500_001))) == [])
    #expect(names(visible(snapshot).timeline(ofCamera: "c", in: range(50_000, 50_001))) == ["c/500"])
  }

  @Test(arguments: 0..<20)
  func `it is the same by whatever changes a snapshot came about`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var snapshot = LibrarySnapshot()
    var there: [String: Recording] = [:]
    for _ in 0..<1_500 {
      let path = "c\(Int.random(in: 0..<2, using: &random))/\(Int.random(in: 0..<600, using: &random)).mp4"
      let new: Recording? =
        Int.random(in: 0..<3, using: &random) == 0
        ? nil : makeRecording(path, startedAt: Int64.random(in: 0..<20_000, using: &random))
      snapshot.replace(there[path], with: new)
      there[path] = new
    }
    let recordings = Array(there.values)
    for _ in 0..<20 {
      let from = Int64.random(in: -100..<21_000, using: &random)
      let range = range(from, from + Int64.random(in: 1..<3_000, using: &random))
      for camera in ["c0", "c1"] {
        let found = names(visible(snapshot).timeline(ofCamera: camera, in: range))
        #expect(found.map(Set.init) == expected(recordings, camera, range), "\(seed)")
      }
    }
    for recording in recordings { snapshot.replace(recording, with: nil) }
    #expect(visible(snapshot).timeline(ofCamera: "c0", in: range(0, 30_000)) == nil)
  }

  @Test func `a camera is told apart byte by byte, is none without recordings, and is none for whom it is hidden from`()
  {
    let snapshot = LibrarySnapshot([
      makeRecording("\u{E9}/1.mp4"), makeRecording("alone.mp4"), makeRecording("broken/1.mp4", state: .refused("no")),
    ])
    let day = range(0, 86_400)
    let all = visible(snapshot)
    #expect(names(all.timeline(ofCamera: "\u{E9}", in: day)) == ["\u{E9}/1"])
    #expect(all.timeline(ofCamera: "e\u{301}", in: day) == nil)
    #expect(names(all.timeline(ofCamera: nil, in: day)) == ["alone"])
    #expect(names(all.timeline(ofCamera: "broken", in: day)) == ["broken/1"])
    #expect(names(all.timeline(ofCamera: "broken", in: day) { $0.state == .ready }) == [])
    #expect(names(all.timeline(ofCamera: nil, in: range(90_000, 90_001))) == [])
    let some = visible(snapshot, CameraSelection(["broken"]))
    #expect(some.timeline(ofCamera: nil, in: day) == nil && some.timeline(ofCamera: "\u{E9}", in: day) == nil)
    #expect(names(some.timeline(ofCamera: "broken", in: day)) == ["broken/1"])
    #expect(all.timeline(ofCamera: "", in: day) == nil)
  }

  @Test func `a refused file is as long as it was written to, unless it was touched much later`() {
    func refused(writtenAt seconds: Int64) -> Recording {
      let sample = makeRecording("c/1.mp4", startedAt: 1_000, state: .refused("no"))
      return Recording(
        path: sample.path, name: sample.name, camera: "c", state: sample.state, start: sample.start,
        version: FileVersion(device: 1, inode: 2, size: 1_000, modifiedNanoseconds: seconds * 1_000_000_000),
        place: sample.place)
    }
    #expect(refused(writtenAt: 1_060).timelineEntry.milliseconds == 60_000)
    #expect(refused(writtenAt: 900).timelineEntry.milliseconds == 0)
    #expect(refused(writtenAt: 87_400).timelineEntry.milliseconds == 86_400_000)
    #expect(refused(writtenAt: 87_401).timelineEntry.milliseconds == 0)
  }

  @Test func `around a time without footage are the nearest moments with some`() {
    let snapshot = LibrarySnapshot([
      makeRecording("c/1.mp4", startedAt: 100), makeRecording("c/2.mp4", startedAt: 200),
      makeRecording("c/3.mp4", startedAt: 900), makeRecording("c/4.mp4", startedAt: 950, state: .refused("no")),
      makeRecording("d/1.mp4", startedAt: 500),
    ])
    func around(_ from: Int64, _ to: Int64, _ cameras: CameraSelection = .all) -> [Int64?] {
      let found = visible(snapshot, cameras).momentsAround(range(from, to), ofCamera: "c") { $0.state == .ready }
      return [found.before?.milliseconds, found.after?.milliseconds]
    }
    #expect(around(300, 800) == [260_033, 900_000])
    #expect(around(300, 900) == [260_033, 900_000])
    #expect(around(0, 90) == [nil, 100_000])
    #expect(around(970, 999) == [960_033, nil])
    #expect(around(300, 800, CameraSelection(["d"])) == [nil, nil])
  }
}
