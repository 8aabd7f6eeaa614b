internal import FootageAPI
internal import FootageBase

extension RobotConnection {
  /// The size limit for a key frame, in bytes. No camera makes one that large, and anything longer is not a picture.
  private static let keyFrameLimit = 32 << 20

  /// Returns the picture at a moment of a recording: the key frame that is shown at that moment, or else the last one
  /// before it. If the cache has it, the robot is not asked.
  ///
  /// - Parameters:
  ///   - name: as the robot lists it.
  ///   - seconds: a moment of the presentation, from 0 on; one beyond its end means the last key frame.
  ///   - track: the number of one of the recording's ``RobotRecording/videoTracks``; nil for the one that films show.
  ///   - entityTag: the wanted version, with its quotes; nil for the current one.
  /// - Returns: an MP4 of exactly this sample, for any decoder.
  /// - Throws: `RobotError`: `.notFound` if there is no such recording, with the code `gone` if it is a different
  ///   version now, and with `no-such-view` if it has no picture; `.notSupported` if the robot is too old to make
  ///   pictures.
  public func keyFrame(
    of name: String, at seconds: Double, track: Int? = nil, version entityTag: String? = nil
  ) async throws(RobotError) -> [UInt8] {
    guard let moment = DecimalSeconds(seconds) else {
      throw .malformed("\(seconds) seconds is not a valid time in a recording")
    }
    // The cache has the index of the track that films show.
    if track == nil, let picture = await cachedKeyFrame(of: name, at: moment, entityTag) { return picture }
    let view = RecordingView.keyFrame(
      at: moment, track: track, version: entityTag.map { VersionTag(entityTag: $0) })
    let target = Resource.recording(name: name, view).target
    return try await requests.answered(MediaRequest(target), name: name, accepting: [200]) {
      (response: MediaResponse) async throws(RobotError) in
      try response.checkEncoding(name)
      // A robot that does not know views answers with the whole recording.
      guard let tag = response.entityTag, VersionTag.belongsToView(entityTag: tag) else {
        throw .notSupported("it does not make pictures of its recordings: update it")
      }
      return try await RobotRequests.document(response, limit: Self.keyFrameLimit)
    }
  }

  /// Returns the cached key frame; nil if the cache does not have all of it, or has a different version.
  private func cachedKeyFrame(of name: String, at moment: DecimalSeconds, _ entityTag: String?) async -> [UInt8]? {
    guard let cached = await cachedPart(of: name), entityTag == nil || entityTag == cached.version.tag else {
      return nil
    }
    return await cached.keyFrameHere(at: moment)
  }
}
