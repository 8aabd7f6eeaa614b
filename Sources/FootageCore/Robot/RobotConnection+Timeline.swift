internal import FootageAPI
internal import FootageBase

extension RobotConnection {
  /// What a robot that leads on and on is asked for at most: answers, and spans and recordings in all of them.
  private static let answerLimit = 1_000
  private static let partLimit = 1_000_000

  /// The robot's cameras, in the order of their names; the recordings without a camera stand last.
  ///
  /// - Throws: `RobotError`, after the retries: `.notSupported` where the robot is older than this.
  public func cameras() async throws(RobotError) -> [RobotCamera] {
    do throws(RobotError) {
      let json = try await requests.json(Resource.cameras().target, name: "the list of cameras")
      guard let list = CameraList(json) else { throw .malformed("the list of cameras has no cameras") }
      return list.cameras.map(RobotCamera.init)
    } catch {
      // There is always a list, if there are lists at all.
      guard case .notFound = error else { throw error }
      throw .notSupported("it has no list of its cameras: update it")
    }
  }

  /// When a camera recorded, over some time; asked for in as many answers as it takes.
  ///
  /// - Parameters:
  ///   - camera: as `cameras()` names it; nil for the recordings without a camera.
  ///   - from: the beginning of the time.
  ///   - to: its end, behind the beginning; not included.
  /// - Throws: `RobotError`, after the retries: `.notFound` where there is no such camera; `.notSupported` where the
  ///   robot is older than this; `.malformed` where the time makes no sense, or the answer does not.
  public func timeline(
    camera: String?, from: UnixTime, to: UnixTime
  ) async throws(RobotError) -> RobotTimeline {
    guard from < to else { throw .malformed("a time from \(from) to \(to) has nothing in it") }
    var query = TimelineQuery(from: UnixTimestamp(from), to: UnixTimestamp(to))
    var timeline: RobotTimeline?
    var seenCursors: Set<String> = []
    while true {
      let answer = try await answer(about: camera, query)
      timeline?.append(answer)
      let whole = timeline ?? RobotTimeline(answer)
      timeline = whole
      guard let next = answer.next else { return whole }
      // One that leads back to where it was would never end.
      guard next.text.utf8.count <= RecordingSequence.cursorLimit, seenCursors.count < Self.answerLimit,
        seenCursors.insert(next.text).inserted, whole.partCount <= Self.partLimit
      else { throw .malformed("the timeline does not get on: ask for less time") }
      query.after = next
    }
  }

  private func answer(about camera: String?, _ query: TimelineQuery) async throws(RobotError) -> CameraTimeline {
    let name = camera ?? "recordings without a camera"
    do throws(RobotError) {
      let target = Resource.camera(name: camera, .timeline(query)).target
      guard let timeline = CameraTimeline(try await requests.json(target, name: name)) else {
        throw .malformed("the timeline has no spans or no next")
      }
      return timeline
    } catch {
      guard case .notFound = error else { throw error }
      // An earlier robot has no timelines, and says so in the same words.
      if try await cameras().contains(where: { ExactName($0.name) == ExactName(camera) }) {
        throw .notSupported("it does not say when a camera recorded: update it")
      }
      throw error
    }
  }
}
