import FootageStore
import Foundation
import FootageAPI
import FootageBase

/// Fills an index with recordings of many robots through the index's own insertion:
/// `fleet-benchmark INDEX ROBOTS COUNT`. Writes the matching list of robots.
func fill(index path: String, robots file: String, count: Int) throws {
  guard let pin = PublicKeyPin(digest: [UInt8](repeating: 7, count: 32)) else { return }
  let robots = (0..<200).map { FleetRobot(name: "robot\($0)", pins: [pin]) }
  try robots.map { "\($0.name) \(pin)\n" }.joined().write(toFile: file, atomically: true, encoding: .utf8)
  let index = try FleetIndex(path: path)
  try index.use(robots)
  let cameras = ["front", "left", "rear", "right", "top"]
  var rows: [FleetRow] = []
  for number in 0..<count {
    let robot = robots[number % robots.count].name
    let camera = cameras[number / robots.count % cameras.count]
    // Recordings of one minute each, one after the other.
    let start = 1_700_000_000_000 + Int64(number / robots.count / cameras.count) * 60_000 + Int64(number % 997)
    let tag = ItemTag(UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15)
    let item = RecordingItem(
      name: "\(camera)/\(CivilTime(unixSeconds: start / 1_000).rfc3339)-\(number)", camera: camera, state: .ready,
      isRecovered: false, size: 20_955_211, entityTag: "\"\(tag.text)\(tag.text)\"", tag: tag,
      startedAt: UnixTimestamp(milliseconds: start), startedFrom: "name", isInFuture: false, duration: 60.033,
      video: VideoFormat(codec: "avc1.64001F", width: 1_280, height: 720, frameRate: 30),
      audio: AudioFormat(codec: "mp4a.40.2", sampleRate: 48_000, channels: 2), shift: 1, keyInterval: 2,
      place: .store
    ).of(robot: robot)
    rows.append(
      FleetRow(
        robot: robot, tag: tag.text, item: item, modifiedNanoseconds: start * 1_000_000,
        digest: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 32), signer: pin))
    if rows.count == 1_000 {
      try index.add(rows)
      rows = []
    }
  }
  try index.add(rows)
  print("\(try index.counts().all) recordings of \(try index.cameras().count) cameras")
}

let words = CommandLine.arguments.dropFirst()
guard words.count == 3, let index = words.first, let count = words.last.flatMap({ Int($0) }) else {
  print("usage: fleet-benchmark INDEX ROBOTS COUNT")
  exit(64)
}
try fill(index: index, robots: words[2], count: count)
