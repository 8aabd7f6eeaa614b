/// Clips of a camera as files, which are downloaded like recordings.
import FootageBase
import Foundation
import LinuxTestSupport
import Testing

@testable import FootageCore

@Suite struct ClipDownloadTests {
  private static let clip = content(50_000)
  private static let from = UnixTime(UnixTimestamp(milliseconds: 1_795_169_730_000))
  private static let to = UnixTime(UnixTimestamp(milliseconds: 1_795_169_790_500))

  private func fetch(_ robot: ScriptedRobot, to path: String) async -> DownloadTests.Outcome {
    do throws(RobotError) {
      let connection = ReadTests.connection(robot)
      return DownloadTests.Outcome(
        recording: try await connection.clip(ofCamera: "rear 2", from: Self.from, to: Self.to).download(to: path))
    } catch { return DownloadTests.Outcome(error: error) }
  }

  @Test func `a clip that broke off goes on where it was`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("x.mp4")
    let first = ScriptedRobot(Self.clip, [.cut(30_000)] + Array(repeating: .unreachable, count: 9))
    #expect(await fetch(first, to: path).error?.canPass == true)
    let target = try #require(first.requests.first?.target)
    #expect(target.hasPrefix("/cameras/rear%202.mp4?from=") && target.contains("&to="))
    #expect(DownloadTests.map(path)?.name == target && DownloadTests.map(path)?.received == 30_000)
    let second = ScriptedRobot(Self.clip)
    let outcome = await fetch(second, to: path)
    #expect(outcome.recording == DownloadedRecording(name: "rear 2", entityTag: second.tag, length: 50_000))
    #expect(second.requests.map(\.range) == [30_000..<UInt64.max] && second.requests.map(\.target) == [target])
    #expect(DownloadTests.file(path) == Self.clip)
  }

  @Test func `what an earlier run has fetched of another time is not mixed with it`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("x.mp4")
    let other = content(40_000, seed: 2)
    let first = ScriptedRobot(other, [.cut(30_000)] + Array(repeating: .unreachable, count: 9))
    _ = await DownloadTests.download(first, to: path)
    #expect(await fetch(ScriptedRobot(Self.clip), to: path).error == nil)
    #expect(DownloadTests.file(path) == Self.clip)
  }

  @Test func `seconds of a recording are asked for by their own view, in the version that is wanted`() async throws {
    let folder = try TemporaryFolder()
    let robot = ScriptedRobot(Self.clip)
    let clip = try ReadTests.connection(robot).clip(of: "a b", seconds: 1.5..<20, version: "\"v1\"")
    #expect(clip.subject == .recording("a b", 1.5..<20) && robot.requests.isEmpty)
    #expect(try await clip.download(to: folder.path("x.mp4")).length == 50_000)
    #expect(robot.requests.map(\.target) == ["/recordings/a%20b.mp4?start=1.5&end=20&v=v1"])
    #expect(DownloadTests.file(folder.path("x.mp4")) == Self.clip)
    #expect(throws: RobotError.self) { try ReadTests.connection(robot).clip(of: "a b", seconds: 3..<3) }
  }

  @Test func `a time that ends before it begins is asked of nobody`() async throws {
    let robot = ScriptedRobot(Self.clip)
    var error: RobotError?
    do throws(RobotError) {
      _ = try ReadTests.connection(robot).clip(ofCamera: nil, from: Self.to, to: Self.from)
    } catch let thrown { error = thrown }
    guard case .malformed = error else { return #expect(error == nil, "it was no failure of its own") }
    #expect(robot.requests.isEmpty)
  }
}
