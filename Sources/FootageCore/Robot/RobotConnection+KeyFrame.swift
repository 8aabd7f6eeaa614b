internal import FootageAPI
internal import FootageBase

extension RobotConnection {
  /// Of a key frame, in bytes: no camera makes as many, and what is longer is no picture.
  private static let keyFrameLimit = 32 << 20

  /// The picture at a moment of a recording: the key frame that is shown at that moment, or last before it. Where the
  /// cache has it, the robot is not asked.
  ///
  /// - Parameters:
  ///   - name: as the robot lists it.
  ///   - seconds: of the presentation, from 0 on; beyond its end it is the last key frame.
  ///   - entityTag: the version that is wanted, quotes included; nil for the one that is there.
  /// - Returns: an MP4 of exactly this sample, for any decoder.
  /// - Throws: `RobotError`: `.notFound` where there is no such recording, with the code `gone` where it is another
  ///   version by now, and with `no-such-view` where it has no picture; `.notSupported` where the robot is older than
  ///   this.
  public func keyFrame(
    of name: String, at seconds: Double, version entityTag: String? = nil
  ) async throws(RobotError) -> [UInt8] {
    guard let moment = DecimalSeconds(seconds) else { throw .malformed("\(seconds) is no moment of a recording") }
    if let picture = await cachedKeyFrame(of: name, at: moment, entityTag) { return picture }
    let view = RecordingView.keyFrame(at: moment, version: entityTag.map { VersionTag(entityTag: $0) })
    let target = Resource.recording(name: name, view).target
    return try await requests.answered(MediaRequest(target), name: name, accepting: [200]) {
      (response: MediaResponse) async throws(RobotError) in
      try response.checkEncoding(name)
      // A robot that knows no views answers with the whole recording.
      guard let tag = response.entityTag, VersionTag.belongsToView(entityTag: tag) else {
        throw .notSupported("it makes no pictures of its recordings: update it")
      }
      return try await RobotRequests.document(response, limit: Self.keyFrameLimit)
    }
  }

  /// Nil where not all of it is here, or it is of another version.
  private func cachedKeyFrame(of name: String, at moment: DecimalSeconds, _ entityTag: String?) async -> [UInt8]? {
    guard let cached = await cachedPart(of: name), entityTag == nil || entityTag == cached.version.tag else {
      return nil
    }
    return await cached.keyFrameHere(at: moment)
  }
}
