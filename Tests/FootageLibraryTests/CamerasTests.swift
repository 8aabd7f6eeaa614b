import FootageAPI
import FootageBase
import Testing

@testable import FootageLibrary

@Suite struct CamerasTests {
  @Test func `a camera is summed up from its first start to its last end`() {
    let snapshot = LibrarySnapshot([
      makeRecording("front/1.mp4", startedAt: 100), makeRecording("front/2.mp4", startedAt: 200),
      makeRecording("front/3.mp4", startedAt: 300, state: .recording), makeRecording("Rear/1.mp4", startedAt: 50),
    ])
    #expect(
      snapshot.cameras == [
        CameraList.Camera(
          name: "Rear", recordingCount: 1, from: UnixTimestamp(seconds: 50),
          to: UnixTimestamp(seconds: 110, milliseconds: 33), isLive: false, codec: "avc1.64001F"),
        // The growing recording was last written before it began, so it ends where it begins.
        CameraList.Camera(
          name: "front", recordingCount: 3, from: UnixTimestamp(seconds: 100), to: UnixTimestamp(seconds: 300),
          isLive: true, codec: "avc1.64001F"),
      ])
  }

  @Test func `recordings without a camera come last, and refused ones make none`() {
    let snapshot = LibrarySnapshot([
      makeRecording("alone.mp4", startedAt: 5, state: .recording), makeRecording("z/1.mp4"),
      makeRecording("e\u{301}/1.mp4"),
      makeRecording("\u{E9}/1.mp4"), makeRecording("broken/1.mp4", state: .refused("no reason")),
    ])
    #expect(snapshot.cameras.map { $0.name.map { Array($0.utf8) } } == [[101, 204, 129], [122], [195, 169], nil])
    #expect(snapshot.cameras.last?.codec == nil)
    #expect(LibrarySnapshot().cameras.isEmpty)
  }
}
