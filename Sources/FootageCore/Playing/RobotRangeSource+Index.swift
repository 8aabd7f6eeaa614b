internal import FootageAPI

/// What a robot says of a recording besides its bytes.
extension RobotRangeSource {
  /// How long an index may take: that of ten hours has 12 MB.
  private static let indexPatience = Duration.seconds(60)

  func index(of key: RecordingKey, _ version: RecordingVersion) async throws(FetchFailure) -> [UInt8] {
    let name = key.name
    let target = Resource.recording(name: name, .index(version: VersionTag(entityTag: version.tag))).target
    var requests = requests
    requests.patience.whole = Self.indexPatience
    do throws(RobotError) {
      return try await requests.answered(MediaRequest(target), name: name, accepting: [200]) {
        (response: MediaResponse) async throws(RobotError) in
        try response.checkEncoding(name)
        // A robot that knows no views answers with the whole recording.
        guard let tag = response.entityTag, tag != version.tag else {
          throw .notSupported("it keeps no indexes of its recordings: update it")
        }
        guard tag.utf8.starts(with: version.tag.utf8.dropLast()), VersionTag.belongsToView(entityTag: tag) else {
          throw .replaced(name: name)
        }
        return try await RobotRequests.document(response, limit: Int(IndexBytes.limit))
      }
    } catch {
      switch error {
      // It is not this version any more.
      case .notFound(_, .gone, _): throw .replaced(.replaced(name: name))
      // There is none of this recording.
      case .notFound(_, .noSuchView, _): throw .final(error)
      // An earlier robot knows no such resource; whether the recording is still there its bytes will tell.
      case .notFound: throw .final(.notSupported("it keeps no index of \(name)"))
      default: throw FetchFailure(error)
      }
    }
  }

  func item(of key: RecordingKey) async throws(FetchFailure) -> RobotRecording {
    do throws(RobotError) { return try await requests.once.recording(key.name) } catch { throw FetchFailure(error) }
  }
}
