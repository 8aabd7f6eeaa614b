/// The output of `footage inspect`.

import FootageBase
import Foundation
import FootageMedia
import FootageSystem
import TestSupport
import Testing

@Suite struct InspectionTests {
  @Test func `a whole file shows its verdict, its tracks and its boxes`() throws {
    let bytes =
      testFileType + box("mdat", Bytes(1...12))
      + movie([TestTrack(tables: tables(sizes: [3, 4, 5], perChunk: 2, offsets: [32, 39]))])
    let text = Inspection.of(MemoryByteSource(bytes)).text
    #expect(text.hasPrefix("616 bytes\n\nready: served with a preamble of 596 bytes before bytes 24 to 44\n"))
    #expect(text.contains("\n  1  vide  mp4v, 320×180, 10.0 frames/s, 3 samples, 0.3 s\n"))
    #expect(text.contains("\n             0            24  ftyp\n            24            20  mdat\n"))
    #expect(text.contains("\n            44           572  moov\n            52           108    mvhd\n"))
  }

  @Test func `a broken file shows where it is broken`() throws {
    let bytes = testFileType + movie([TestTrack(tables: be32(500) + ascii("stts"))])
    let inspection = Inspection.of(MemoryByteSource(bytes))
    guard case .refused(let error) = inspection.verdict else {
      Issue.record("\(inspection.verdict)")
      return
    }
    #expect(inspection.text.contains("refused: \(error)\n"))
    #expect(inspection.text.contains("stbl  ← box 'moov/trak/mdia/minf/stbl/stts' at byte 488 claims 500 bytes"))
  }

  @Test func `a file cut off shows the box that is cut, and its tracks where they are known`() throws {
    let bytes =
      testFileType + movie([TestTrack(tables: tables(sizes: [3], perChunk: 1, offsets: [600]))])
      + be32(5_000) + ascii("mdat") + zeros(10)
    let text = Inspection.of(MemoryByteSource(bytes)).text
    #expect(text.contains("incomplete: box 'mdat' at byte 584 claims 5000 bytes"))
    #expect(text.contains("          5000  mdat  ← box 'mdat' at byte 584 claims 5000 bytes"))
    #expect(text.contains("1  vide  mp4v"))
  }

  @Test func `what is no MP4 is shown all the same`() {
    #expect(Inspection.of(MemoryByteSource([])).text.hasPrefix("0 bytes\n\nincomplete: the file is empty"))
    #expect(
      Inspection.of(MemoryByteSource(ascii("Dear diary, today"))).text.contains("refused: this is not an MP4 file"))
  }

  @Test func `the tree of a file of many boxes ends somewhere`() {
    let track = TestTrack(tables: tables(sizes: [3], perChunk: 1, offsets: [32]))
    let bytes = testFileType + box("mdat", [1, 2, 3]) + (0..<10_000).flatMap { _ in box("free") } + movie([track])
    let inspection = Inspection.of(MemoryByteSource(bytes))
    #expect(inspection.boxes.count == 4_096 && inspection.isAbridged)
    #expect(inspection.text.hasSuffix("… more boxes are not shown\n"))
    guard case .ready = inspection.verdict else {
      Issue.record("\(inspection.verdict)")
      return
    }
  }

  @Test func `programs get the same as JSON, for every file of the zoo`() throws {
    for name in try Zoo.made.get().names {
      let file = try RandomAccessFile(path: try Zoo.path(name))
      var json = JSONWriter()
      Inspection.of(file).write(json: &json)
      let object = try #require(try JSONSerialization.jsonObject(with: Data(json.bytes)) as? [String: Any], "\(name)")
      #expect(object["outcome"] as? String == "ready", "\(name)")
      #expect(object["length"] as? Int == Int(file.length))
      let boxes = try #require(object["boxes"] as? [[String: Any]])
      #expect(boxes.compactMap { $0["size"] as? Int }.reduce(0, +) == Int(file.length), "\(name)")
      let tracks = try #require(object["tracks"] as? [[String: Any]])
      #expect(tracks.contains { $0["handler"] as? String == "vide" && $0["width"] is Int })
      let head = try #require(object["headLength"] as? Int)
      guard case .ready(let index) = try MovieIndex.make(of: file) else { continue }
      #expect(head == index.preamble.count)
    }
  }

  @Test func `JSON of a refused file has its reason`() throws {
    var json = JSONWriter()
    Inspection.of(MemoryByteSource(testFileType + movie([]) + movie([]))).write(json: &json)
    let object = try #require(try JSONSerialization.jsonObject(with: Data(json.bytes)) as? [String: Any])
    #expect(object["outcome"] as? String == "refused")
    #expect((object["reason"] as? String)?.contains("is a duplicate") == true)
  }
}
