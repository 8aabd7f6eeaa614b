internal import FootageAPI
internal import FootageCore
internal import FootageServer
internal import FootageBase
internal import FootageLibrary

/// A maker of clips of a camera: a robot, or this program with a folder.
protocol ClipMaker: Sendable {
  /// Returns the names of the cameras; nil stands for the recordings without a camera.
  func cameras() async throws(ClipFailure) -> [String?]
  /// Returns the timeline of a camera, in the form in which a robot sends it.
  func document(of camera: String?, _ range: Range<UnixTimestamp>) async throws(ClipFailure) -> [UInt8]
  /// Writes a range of time to a file. The file gets its name only when it is complete.
  func write(
    _ camera: String?, _ range: Range<UnixTimestamp>, to path: String, _ report: ProgressReport
  ) async throws(ClipFailure)
}

/// The reason why a clip was not made.
enum ClipFailure: Error {
  /// Nothing was recorded in the requested time range. The value is a message about it.
  case noFootage(String)
  /// The clip could not be made, for the reason in the message. `isOver` is true if other clips would fail as well.
  case failed(String, isOver: Bool)
}

/// A maker that gets clips from a robot elsewhere.
struct RobotClips: ClipMaker {
  let access: RobotAccess

  func cameras() async throws(ClipFailure) -> [String?] {
    do throws(RobotError) { return try await access.robot.cameras().map(\.name) } catch { throw failure(error) }
  }

  func document(of camera: String?, _ range: Range<UnixTimestamp>) async throws(ClipFailure) -> [UInt8] {
    do throws(RobotError) {
      return try await access.robot.timelineDocument(
        camera: camera, from: UnixTime(range.lowerBound), to: UnixTime(range.upperBound))
    } catch { throw failure(error) }
  }

  func write(
    _ camera: String?, _ range: Range<UnixTimestamp>, to path: String, _ report: ProgressReport
  ) async throws(ClipFailure) {
    do throws(RobotError) {
      let clip = try access.robot.clip(
        ofCamera: camera, from: UnixTime(range.lowerBound), to: UnixTime(range.upperBound))
      let fetched = try await clip.download(to: path) { report.show($0) }
      report.end(keeping: !fetched.wasThere)
    } catch {
      report.end()
      throw failure(error)
    }
  }

  private func failure(_ error: RobotError) -> ClipFailure {
    switch error {
    case .notFound(_, .noFootage, _): .noFootage(error.description)
    case .notFound(let camera, .notFound, _):
      .failed("there is no camera '\(camera)': footage list --robot --cameras shows them", isOver: false)
    case .cancelled: .failed("stopped: the same command resumes it", isOver: true)
    case .trust, .identity, .notAllowed, .unreachable, .system: .failed(access.words(for: error), isOver: true)
    default: .failed(access.words(for: error), isOver: false)
    }
  }
}

/// A maker of clips from a folder on this machine.
struct FolderClips: ClipMaker {
  let library: RecordingLibrary
  /// The name of the robot; nil for the machine's name.
  let robot: String?

  func cameras() async throws(ClipFailure) -> [String?] { library.snapshot.cameras.map(\.name) }

  func document(of camera: String?, _ range: Range<UnixTimestamp>) async throws(ClipFailure) -> [UInt8] {
    guard let document = CameraTimeline.document(ofCamera: camera, in: range, library, robot: robot) else {
      throw .failed("there is no camera '\(camera ?? "")': footage list --cameras shows them", isOver: false)
    }
    return document
  }

  func write(
    _ camera: String?, _ range: Range<UnixTimestamp>, to path: String, _ report: ProgressReport
  ) async throws(ClipFailure) {
    do throws(LibraryError) { try library.exportClip(ofCamera: camera, in: range, to: path) } catch {
      if case .noFootage = error { throw .noFootage("\(camera ?? "recordings without a camera"): \(error)") }
      throw .failed(error.description, isOver: false)
    }
  }
}
