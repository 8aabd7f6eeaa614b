/// Changes to the files of recorders.
import Foundation

package enum RecorderFiles {
  /// Returns the bytes of a file of `Tests/Fixtures/Recordings`.
  package static func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: Checkout.folder.appending(path: "Tests/Fixtures/Recordings/\(name).mp4")))
  }

  /// Returns a fragmented file whose times are all later.
  ///
  /// - Parameter timescales: the ticks a second of each track, by its ID.
  package static func moved(_ bytes: [UInt8], by seconds: Double, timescales: [Int: Int]) -> [UInt8] {
    var moved = bytes
    let file = BoxBytes(bytes)
    for traf in file.all("moof/traf") {
      guard let header = file.all("tfhd", in: traf.content).first, let time = file.all("tfdt", in: traf.content).first,
        let scale = timescales[file.number(header.content.lowerBound + 4, 4)]
      else { continue }
      let place = time.content.lowerBound
      let width = file.bytes[place] == 1 ? 8 : 4
      let value = file.number(place + 4, width) + Int((seconds * Double(scale)).rounded())
      for index in 0..<width {
        moved[place + 4 + index] = UInt8(truncatingIfNeeded: value >> (8 * (width - 1 - index)))
      }
    }
    return moved
  }
}
