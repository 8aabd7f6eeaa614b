import FootageClient
import FootageClientTesting
import SQLite
import System

/// An app that uses a robot in memory and a robot that does not exist, and prints the results line by line.
@main struct App {
  static func main() async throws {
    let folder = FilePath(CommandLine.arguments[1])
    print("database:", Connection(folder.appending("app.sqlite").description).path.hasSuffix("/app.sqlite"))

    let start = UnixTime(seconds: 1_795_169_730)
    let samples = SampleRecording.row(ofCamera: "front", count: 2, from: start)
    let robot = InMemoryRobot(samples, name: "Greenhouse")
    let cache = try MediaCache(at: folder.appending("cache").description, quota: .gigabytes(1))
    let connection = robot.connection(cache: cache, retrying: .withoutPauses())
    for try await recording in connection.recordings() { print("listed:", recording.name) }

    let name = samples[0].listed.name
    robot.fail(.media, with: .cutOff(after: 100))
    try await connection.download(name, to: folder.appending("copy.mp4").description)
    print("downloaded:", name)

    // No server has this port, and the real transport reports that.
    let pin = "sha256/\(String(repeating: "A", count: 43))="
    let nobody = try RobotConnection(to: "127.0.0.1:9", trusting: .pinned([.spki(pin)]), cache: cache)
    do throws(RobotError) {
      _ = try await nobody.cameras()
    } catch {
      print("without a robot:", error)
    }
  }
}
