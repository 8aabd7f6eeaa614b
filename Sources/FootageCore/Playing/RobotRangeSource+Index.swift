internal import FootageAPI

/// The sample index and the description that a robot provides for a recording besides its bytes.
extension RobotRangeSource {
  /// The time that an index may take. An index of ten hours has 12 MB.
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
          throw .notSupported("it has no sample indexes of its recordings: update it")
        }
        guard tag.utf8.starts(with: version.tag.utf8.dropLast()), VersionTag.belongsToView(entityTag: tag) else {
          throw .replaced(name: name)
        }
        return try await RobotRequests.document(response, limit: Int(IndexBytes.limit))
      }
    } catch {
      switch error {
      // The robot no longer has this version.
      case .notFound(_, .gone, _): throw .replaced(.replaced(name: name))
      // The robot has no index of this recording.
      case .notFound(_, .noSuchView, _): throw .final(error)
      // An earlier robot does not know the resource. The answer to the request for bytes will show whether it still has
      // the recording.
      case .notFound: throw .final(.notSupported("it has no sample index of \(name)"))
      default: throw FetchFailure(error)
      }
    }
  }

  func item(of key: RecordingKey) async throws(FetchFailure) -> RobotRecording {
    do throws(RobotError) { return try await requests.once.recording(key.name) } catch { throw FetchFailure(error) }
  }
}
