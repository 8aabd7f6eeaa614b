public import FootageCore
public import Foundation

extension RobotConnection {
  /// Returns the recordings that began in a time range, newest first, fetched page by page as they are requested.
  ///
  /// - Parameters:
  ///   - camera: only the recordings of this camera; nil for all.
  ///   - since: only those that began at this moment or later.
  ///   - until: only those that began before this moment; nil for all.
  ///   - state: only those in this state; nil for all, including those that cannot be played.
  ///   - lasting: only those that last at least this many seconds; nil or 0 for all.
  public func recordings(
    camera: String? = nil, since: Date, until: Date? = nil, state: RecordingFilter? = nil, lasting: Double? = nil
  ) -> RecordingSequence {
    recordings(
      camera: camera, since: UnixTime(since), until: until.map { UnixTime($0) }, state: state, lasting: lasting)
  }

  /// Returns the recordings that began before a moment, newest first, fetched page by page as they are requested.
  ///
  /// - Parameters:
  ///   - camera: only the recordings of this camera; nil for all.
  ///   - until: only those that began before this moment.
  ///   - state: only those in this state; nil for all, including those that cannot be played.
  ///   - lasting: only those that last at least this many seconds; nil or 0 for all.
  public func recordings(
    camera: String? = nil, until: Date, state: RecordingFilter? = nil, lasting: Double? = nil
  ) -> RecordingSequence {
    recordings(camera: camera, until: UnixTime(until), state: state, lasting: lasting)
  }

  /// Returns the time spans in which a camera recorded, within a time range; the rest of the range is gaps. See
  /// ``timeline(camera:from:to:)-(_,UnixTime,_)``.
  ///
  /// - Parameters:
  ///   - camera: nil for the recordings without a camera.
  ///   - interval: not empty.
  /// - Throws: `RobotError`.
  public func timeline(camera: String?, in interval: DateInterval) async throws(RobotError) -> RobotTimeline {
    try await timeline(camera: camera, from: interval.start, to: interval.end)
  }

  /// Returns the time spans in which a camera recorded, within a time range; the rest of the range is gaps. See
  /// ``timeline(camera:from:to:)-(_,UnixTime,_)``.
  ///
  /// - Parameters:
  ///   - camera: nil for the recordings without a camera.
  ///   - from: the beginning of the range.
  ///   - to: its end, later than `from`; not included.
  /// - Throws: `RobotError`.
  public func timeline(camera: String?, from: Date, to: Date) async throws(RobotError) -> RobotTimeline {
    try await timeline(camera: camera, from: UnixTime(from), to: UnixTime(to))
  }

  /// Opens what a camera recorded in a time range, across its recordings. See ``playback(ofCamera:from:to:)``.
  ///
  /// - Parameters:
  ///   - camera: nil for the recordings without a camera.
  ///   - from: the beginning of the range.
  ///   - to: its end, later than `from` by at most 26 hours. Nil means 26 hours after `from`, and a growing recording
  ///     continues as it is recorded.
  /// - Throws: `RobotError`.
  public func playback(
    ofCamera camera: String?, from: Date, to: Date? = nil
  ) async throws(RobotError) -> CameraPlayback {
    try await playback(ofCamera: camera, from: UnixTime(from), to: to.map { UnixTime($0) })
  }

  /// Returns a clip of what a camera recorded in a time range, as one movie. See
  /// ``clip(ofCamera:from:to:)-(_,UnixTime,_)``.
  ///
  /// - Parameters:
  ///   - camera: nil for the recordings without a camera.
  ///   - from: the beginning of the range.
  ///   - to: its end, later than `from` by at most two hours; not included. It may be ahead of the robot's clock.
  /// - Throws: `RobotError.malformed` if the range is empty.
  public func clip(ofCamera camera: String?, from: Date, to: Date) throws(RobotError) -> RobotClip {
    try clip(ofCamera: camera, from: UnixTime(from), to: UnixTime(to))
  }

  /// Fetches a recording into a file. See ``RobotConnection/download(_:to:onProgress:)-(_,String,_)``.
  ///
  /// - Parameters:
  ///   - name: as the robot lists it.
  ///   - file: in a folder that exists. Do not make it from an unchecked `name`, which came over the network.
  ///   - onProgress: called about ten times a second while bytes arrive, and at the end, from any thread.
  /// - Returns: the recording that the file now holds.
  /// - Throws: `RobotError`.
  @discardableResult
  public func download(
    _ name: String, to file: URL, onProgress: @escaping @Sendable (DownloadProgress) -> Void = { _ in }
  ) async throws(RobotError) -> DownloadedRecording {
    try await download(name, to: try path(of: file), onProgress: onProgress)
  }
}

extension RobotClip {
  /// Fetches the clip into a file. See ``download(to:onProgress:)-(String,_)``.
  ///
  /// - Parameters:
  ///   - file: in a folder that exists.
  ///   - onProgress: called about ten times a second while bytes arrive, and at the end, from any thread.
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
