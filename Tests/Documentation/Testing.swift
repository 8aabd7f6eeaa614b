/// The code of "Previews and tests": a robot in memory instead of a real one.

import FootageClient
import FootageClientTesting

func previewRobot() -> InMemoryRobot {
  InMemoryRobot(
    SampleRecording.row(ofCamera: "front", count: 12, from: UnixTime(seconds: 1_795_169_730)), name: "Greenhouse")
}

func previewList() -> [RobotRecording] {
  ["front", "rear"].map { camera in
    RobotRecording(name: "\(camera)/10-15-30", startedAt: UnixTime(seconds: 1_795_169_730), duration: 60)
  }
}

func previewState() -> PlaybackState {
  PlaybackState(
    activity: .stalled, cachedBytes: [0..<4_000_000], cachedSeconds: [0..<20], length: 12_000_000, duration: 60,
    bytesPerSecond: 350_000)
}

/// Returns what a screen shows for a robot that is off, and after it is back.
func namesBeforeAndAfter(_ robot: InMemoryRobot) async -> (RobotError?, [String]) {
  let connection = robot.connection()
  robot.isReachable = false
  var failure: RobotError?
  do throws(RobotError) { for try await _ in connection.recordings() {} } catch { failure = error }
  robot.isReachable = true
  var names: [String] = []
  do throws(RobotError) { for try await recording in connection.recordings() { names.append(recording.name) } } catch {
    failure = error
  }
  return (failure, names)
}

/// Downloads a recording although it is cut off twice, and requests no byte twice.
func download(_ name: String, to path: String, from robot: InMemoryRobot) async throws -> [UInt64] {
  robot.fail(.media, with: .cutOff(after: 2_000), .unreachable, .cutOff(after: 100))
  try await robot.connection(retrying: .withoutPauses()).download(name, to: path)
  return robot.requests.compactMap(\.range?.lowerBound)
}

func play(_ name: String, of robot: InMemoryRobot, cachedIn folder: String) async throws -> FileFailure.Reason? {
  let disk = TestDisk(at: folder)
  let connection = robot.connection(cache: try disk.cache())
  disk.fault = .full
  let playback = try await connection.playback(of: name)
  _ = try await playback.reader(of: 0..<100).read(at: 0, count: 100)
  return playback.state.storageProblem?.reason
}
