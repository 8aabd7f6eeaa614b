internal import FootageAPI
internal import FootageBase

/// A part of a robot's footage, as one MP4 that is cut at exact pictures. The robot makes the clip while it sends it.
/// Creating this value sends no request.
public struct RobotClip: Sendable {
  /// The footage that a clip shows.
  public enum Subject: Hashable, Sendable {
    /// A time range of a camera, across its recordings; the end is not included. Nil stands for the recordings without
    /// a camera.
    case camera(String?, Range<UnixTime>)
    /// A range of a recording's presentation, in seconds.
    case recording(String, Range<Double>)
  }

  /// The footage that the clip shows.
  public let subject: Subject
  private let robot: RobotConnection
  private let fetched: FetchSubject
  /// The camera of the clip. If a robot reports that the camera's clip does not exist, its list of cameras shows
  /// whether the robot is too old for clips. Nil for a clip of a recording.
  private let camera: String??

  fileprivate init(_ subject: Subject, _ fetched: FetchSubject, camera: String??, by robot: RobotConnection) {
    self.subject = subject
    self.fetched = fetched
    self.camera = camera
    self.robot = robot
  }

  /// Fetches the clip into a file. An interrupted transfer continues where it stopped, as with
  /// ``RobotConnection/download(_:to:onProgress:)-(_,String,_)``.
  ///
  /// - Parameters:
  ///   - path: the path of the file, in a folder that exists.
  ///   - onProgress: called about ten times a second while bytes arrive, and at the end, from any thread.
  /// - Returns: the recording or clip that the file now holds.
  /// - Throws: `RobotError`: `.notFound` with the code `.noFootage` and a text with the nearest moments if nothing was
  ///   recorded then; `.notMade` if the clip would be too long, lies outside the recording, or its recordings have
  ///   different formats; `.notSupported` if the robot is too old to make clips; and what
  ///   ``RobotConnection/download(_:to:onProgress:)-(_,String,_)`` throws.
  @discardableResult
  public func download(
    to path: String, onProgress: @escaping @Sendable (DownloadProgress) -> Void = { _ in }
  ) async throws(RobotError) -> DownloadedRecording {
    do throws(RobotError) {
      return try await Download(robot.requests, fetched, to: path, onProgress).run()
    } catch {
      if let shorter = try await untilPresent(after: error) {
        return try await shorter.download(to: path, onProgress: onProgress)
      }
      guard let camera, case .notFound(_, .notFound, _) = error else { throw error }
      // An older robot has no clips, and gives the same answer.
      if try await robot.cameras().contains(where: { ExactName($0.name) == ExactName(camera) }) {
        throw .notSupported("it does not make clips of a camera: update it")
      }
      throw error
    }
  }

  /// Returns the part of a clip that has been recorded already, if the clip ends ahead of the robot's clock.
  ///
  /// - Parameter error: the failure of the download of the whole clip. A redirection (307) refers to a clip that ends
  ///   in the present.
  /// - Returns: a clip that ends earlier than this one; nil if the failure has another cause.
  private func untilPresent(after error: RobotError) async throws(RobotError) -> RobotClip? {
    guard case .unexpected(status: 307, _) = error, case .camera(let camera, let time) = subject else { return nil }
    let timeline = try await robot.timeline(camera: camera, from: time.lowerBound, to: time.upperBound)
    guard let end = timeline.spans.last?.to, end > time.lowerBound, end < time.upperBound else { return nil }
    return try robot.clip(ofCamera: camera, from: time.lowerBound, to: end)
  }
}

extension RobotConnection {
  /// Returns a clip of what a camera recorded in a time range, as one movie.
  ///
  /// - Parameters:
  ///   - camera: as `cameras()` names it; nil for the recordings without a camera.
  ///   - from: the beginning of the range.
  ///   - to: its end, later than `from` by at most two hours; not included. If it is ahead of the robot's clock, the
  ///     clip ends with what has been recorded until then.
  /// - Throws: `RobotError.malformed` if the range is empty.
  public func clip(
    ofCamera camera: String?, from: UnixTime, to: UnixTime
  ) throws(RobotError) -> RobotClip {
    guard from < to else { throw .malformed("the time range from \(from) to \(to) is empty") }
    let view = CameraView.clip(from: UnixTimestamp(from), to: .at(UnixTimestamp(to)))
    let target = Resource.camera(name: camera, view).target
    return RobotClip(
      .camera(camera, from..<to),
      .view(target: target, called: camera ?? "the recordings without a camera"), camera: .some(camera), by: self)
  }

  /// Returns a clip of a range of seconds of a recording, as a separate movie.
  ///
  /// - Parameters:
  ///   - name: as the robot lists it.
  ///   - seconds: a range of its presentation, which begins at 0. It is limited to the recording's end.
  ///   - track: the number of one of the recording's ``RobotRecording/videoTracks``; nil for the one that films show.
  ///   - entityTag: the wanted version, with its quotes; nil for the current one.
  /// - Throws: `RobotError.malformed` if the range is empty.
  public func clip(
    of name: String, seconds: Range<Double>, track: Int? = nil, version entityTag: String? = nil
  ) throws(RobotError) -> RobotClip {
    guard let start = DecimalSeconds(seconds.lowerBound), let end = DecimalSeconds(seconds.upperBound), start < end
    else { throw .malformed("\(seconds.lowerBound) to \(seconds.upperBound) seconds is not a valid time range") }
    let view = RecordingView.clip(
      start: start, end: end, track: track, version: entityTag.map { VersionTag(entityTag: $0) })
    let target = Resource.recording(name: name, view).target
    return RobotClip(.recording(name, seconds), .view(target: target, called: name), camera: nil, by: self)
  }
}
