internal import FootageAPI
internal import FootageBase

/// A part of what a robot recorded, as one MP4 that is exact to the picture: the robot makes it while it sends it. Making
/// this value asks for nothing.
public struct RobotClip: Sendable {
  /// What it is of.
  public enum Subject: Hashable, Sendable {
    /// A time of a camera, across its recordings; the end is not included. Nil is the recordings without a camera.
    case camera(String?, Range<UnixTime>)
    /// Seconds of a recording's presentation.
    case recording(String, Range<Double>)
  }

  /// What it is of.
  public let subject: Subject
  private let robot: RobotConnection
  private let fetched: FetchSubject
  /// The camera that an earlier robot may have, and makes no clips of; nil of a recording's clip.
  private let camera: String??

  fileprivate init(_ subject: Subject, _ fetched: FetchSubject, camera: String??, by robot: RobotConnection) {
    self.subject = subject
    self.fetched = fetched
    self.camera = camera
    self.robot = robot
  }

  /// Fetches it into a file. What breaks off goes on where it was, as with
  /// ``RobotConnection/download(_:to:onProgress:)-(_,String,_)``.
  ///
  /// - Parameters:
  ///   - path: of the file, in a folder that exists.
  ///   - onProgress: called about ten times a second while bytes come, and at the end, from any thread.
  /// - Returns: what the file holds now.
  /// - Throws: `RobotError`: `.notFound` with the code `.noFootage`, and the nearest moments in words, where nothing was
  ///   recorded then; `.notMade` where it would be too long, lies outside, or its recordings have different formats;
  ///   `.notSupported` where the robot is older than this; and what
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
      // An earlier robot has no clips, and says so in the same words.
      if try await robot.cameras().contains(where: { ExactName($0.name) == ExactName(camera) }) {
        throw .notSupported("it makes no clips of a camera: update it")
      }
      throw error
    }
  }

  /// What there is of it, where it ends ahead of the robot's clock.
  ///
  /// - Parameter error: of the download of all of it. Another place of a clip is one that ends in the present.
  /// - Returns: it ends earlier than this one; nil where it is something else that went wrong.
  private func untilPresent(after error: RobotError) async throws(RobotError) -> RobotClip? {
    guard case .unexpected(status: 307, _) = error, case .camera(let camera, let time) = subject else { return nil }
    let timeline = try await robot.timeline(camera: camera, from: time.lowerBound, to: time.upperBound)
    guard let end = timeline.spans.last?.to, end > time.lowerBound, end < time.upperBound else { return nil }
    return try robot.clip(ofCamera: camera, from: time.lowerBound, to: end)
  }
}

extension RobotConnection {
  /// What a camera recorded over some time, as one movie.
  ///
  /// - Parameters:
  ///   - camera: as `cameras()` names it; nil for the recordings without a camera.
  ///   - from: the beginning of the time.
  ///   - to: its end, behind the beginning and two hours later at most; not included. Ahead of the robot's clock it is where
  ///     what has been recorded until then ends.
  /// - Throws: `RobotError.malformed` where the time has nothing in it.
  public func clip(
    ofCamera camera: String?, from: UnixTime, to: UnixTime
  ) throws(RobotError) -> RobotClip {
    guard from < to else { throw .malformed("a time from \(from) to \(to) has nothing in it") }
    let view = CameraView.clip(from: UnixTimestamp(from), to: .at(UnixTimestamp(to)))
    let target = Resource.camera(name: camera, view).target
    return RobotClip(
      .camera(camera, from..<to),
      .view(target: target, called: camera ?? "the recordings without a camera"), camera: .some(camera), by: self)
  }

  /// Some seconds of a recording, as a movie of its own.
  ///
  /// - Parameters:
  ///   - name: as the robot lists it.
  ///   - seconds: of its presentation, from 0 on; an end beyond its own is its end.
  ///   - entityTag: the version that is wanted, quotes included; nil for the one that is there.
  /// - Throws: `RobotError.malformed` where the seconds have nothing in them.
  public func clip(
    of name: String, seconds: Range<Double>, version entityTag: String? = nil
  ) throws(RobotError) -> RobotClip {
    guard let start = DecimalSeconds(seconds.lowerBound), let end = DecimalSeconds(seconds.upperBound), start < end
    else { throw .malformed("seconds \(seconds.lowerBound) to \(seconds.upperBound) have nothing in them") }
    let view = RecordingView.clip(start: start, end: end, version: entityTag.map { VersionTag(entityTag: $0) })
    let target = Resource.recording(name: name, view).target
    return RobotClip(.recording(name, seconds), .view(target: target, called: name), camera: nil, by: self)
  }
}
