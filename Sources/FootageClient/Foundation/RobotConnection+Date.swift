public import FootageCore
public import Foundation

extension RobotConnection {
  /// The recordings that began in a time, newest first, fetched page by page as they are asked for.
  ///
  /// - Parameters:
  ///   - camera: those of this camera, the first folder of their names; nil for all.
  ///   - since: those that began at this moment or later.
  ///   - until: those that began before this moment; nil for all.
  ///   - state: those in this state; nil for all, which includes those that cannot be played.
  ///   - lasting: those that last at least so long, in seconds; nil or 0 for all.
  public func recordings(
    camera: String? = nil, since: Date, until: Date? = nil, state: RecordingFilter? = nil, lasting: Double? = nil
  ) -> RecordingSequence {
    recordings(
      camera: camera, since: UnixTime(since), until: until.map { UnixTime($0) }, state: state, lasting: lasting)
  }

  /// The recordings that began before a moment, newest first, fetched page by page as they are asked for.
  ///
  /// - Parameters:
  ///   - camera: those of this camera, the first folder of their names; nil for all.
  ///   - until: those that began before this moment.
  ///   - state: those in this state; nil for all, which includes those that cannot be played.
  ///   - lasting: those that last at least so long, in seconds; nil or 0 for all.
  public func recordings(
    camera: String? = nil, until: Date, state: RecordingFilter? = nil, lasting: Double? = nil
  ) -> RecordingSequence {
    recordings(camera: camera, until: UnixTime(until), state: state, lasting: lasting)
  }

  /// When a camera recorded: the spans of a time, and by their absence its gaps. See ``timeline(camera:from:to:)-(_,UnixTime,_)``.
  ///
  /// - Parameters:
  ///   - camera: nil for the recordings without a camera.
  ///   - interval: not empty.
  /// - Throws: `RobotError`.
  public func timeline(camera: String?, in interval: DateInterval) async throws(RobotError) -> RobotTimeline {
    try await timeline(camera: camera, from: interval.start, to: interval.end)
  }

  /// When a camera recorded: the spans of a time, and by their absence its gaps. See
  /// ``timeline(camera:from:to:)-(_,UnixTime,_)``.
  ///
  /// - Parameters:
  ///   - camera: nil for the recordings without a camera.
  ///   - from: where it begins.
  ///   - to: where it ends, behind the beginning; not included.
  /// - Throws: `RobotError`.
  public func timeline(camera: String?, from: Date, to: Date) async throws(RobotError) -> RobotTimeline {
    try await timeline(camera: camera, from: UnixTime(from), to: UnixTime(to))
  }

  /// Opens a camera's time, across its recordings. See ``playback(ofCamera:from:to:)``.
  ///
  /// - Parameters:
  ///   - camera: nil for the recordings without a camera.
  ///   - from: where it begins.
  ///   - to: where it ends, 26 hours later at most; nil is as late as that, and what is being recorded comes as it grows.
  /// - Throws: `RobotError`.
  public func playback(
    ofCamera camera: String?, from: Date, to: Date? = nil
  ) async throws(RobotError) -> CameraPlayback {
    try await playback(ofCamera: camera, from: UnixTime(from), to: to.map { UnixTime($0) })
  }

  /// What a camera recorded over some time, as one movie. See ``clip(ofCamera:from:to:)-(_,UnixTime,_)``.
  ///
  /// - Parameters:
  ///   - camera: nil for the recordings without a camera.
  ///   - from: where it begins.
  ///   - to: where it ends, two hours later at most; not included. It may lie ahead of the robot's clock.
  /// - Throws: `RobotError.malformed` where the time has nothing in it.
  public func clip(ofCamera camera: String?, from: Date, to: Date) throws(RobotError) -> RobotClip {
    try clip(ofCamera: camera, from: UnixTime(from), to: UnixTime(to))
  }

  /// Fetches a recording into a file. See ``RobotConnection/download(_:to:onProgress:)-(_,String,_)``.
  ///
  /// - Parameters:
  ///   - name: as the robot lists it.
  ///   - file: in a folder that exists. Not to be made from `name` as it is, which came over the network.
  ///   - onProgress: called about ten times a second while bytes come, and at the end, from any thread.
  /// - Returns: what the file holds now.
  /// - Throws: `RobotError`.
  @discardableResult
  public func download(
    _ name: String, to file: URL, onProgress: @escaping @Sendable (DownloadProgress) -> Void = { _ in }
  ) async throws(RobotError) -> DownloadedRecording {
    try await download(name, to: try path(of: file), onProgress: onProgress)
  }
}

extension RobotClip {
  /// Fetches it into a file. See ``download(to:onProgress:)-(String,_)``.
  ///
  /// - Parameters:
  ///   - file: in a folder that exists.
  ///   - onProgress: called about ten times a second while bytes come, and at the end, from any thread.
  /// - Returns: what the file holds now.
  /// - Throws: `RobotError`.
  @discardableResult
  public func download(
    to file: URL, onProgress: @escaping @Sendable (DownloadProgress) -> Void = { _ in }
  ) async throws(RobotError) -> DownloadedRecording {
    try await download(to: try path(of: file), onProgress: onProgress)
  }
}

private func path(of file: URL) throws(RobotError) -> String {
  do throws(FileFailure.NoFile) { return try file.pathOfFile() } catch { throw .file(error.failure) }
}
