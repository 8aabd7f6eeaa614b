internal import FootageAPI
internal import FootageBase

extension RobotConnection {
  /// The largest number of answers for one timeline. It ends a timeline that a robot would continue forever.
  private static let answerLimit = 1_000
  /// The largest number of spans and recordings in all answers for one timeline.
  private static let partLimit = 1_000_000

  /// Returns the robot's cameras, in the order of their names; the recordings without a camera come last.
  ///
  /// - Throws: `RobotError`, after the retries: `.notSupported` if the robot is too old to list its cameras.
  public func cameras() async throws(RobotError) -> [RobotCamera] {
    do throws(RobotError) {
      let json = try await requests.json(Resource.cameras().target, name: "the list of cameras")
      guard let list = CameraList(json) else { throw .malformed("the list of cameras lacks 'cameras'") }
      return list.cameras.map(RobotCamera.init)
    } catch {
      // A robot that has lists of cameras always has one, even if it is empty.
      guard case .notFound = error else { throw error }
      throw .notSupported("it is too old to list its cameras: update Footage on it")
    }
  }

  /// Returns the time spans in which a camera recorded, within a time range. It sends as many requests as necessary.
  ///
  /// - Parameters:
  ///   - camera: as `cameras()` names it; nil for the recordings without a camera.
  ///   - from: the beginning of the range.
  ///   - to: its end, later than `from`; not included.
  /// - Throws: `RobotError`, after the retries: `.notFound` if there is no such camera; `.notSupported` if the robot is
  ///   too old for timelines; `.malformed` if the range or the answer is invalid.
  public func timeline(
    camera: String?, from: UnixTime, to: UnixTime
  ) async throws(RobotError) -> RobotTimeline {
    try await timeline(camera: camera, from: from, to: to, rows: .listed)
  }

  /// Returns the timeline of a camera, in which each recording has the address of its film. An earlier robot names
  /// films by the tags of their versions, which are in every timeline.
  func timelineOfFilms(camera: String?, from: UnixTime, to: UnixTime) async throws(RobotError) -> RobotTimeline {
    do throws(RobotError) { return try await timeline(camera: camera, from: from, to: to, rows: .films) } catch {
      // An earlier robot refuses the word.
      guard case .unexpected(status: 400, _) = error else { throw error }
      return try await timeline(camera: camera, from: from, to: to, rows: .listed)
    }
  }

  private func timeline(
    camera: String?, from: UnixTime, to: UnixTime, rows: TimelineQuery.Rows
  ) async throws(RobotError) -> RobotTimeline {
    guard from < to else { throw .malformed("the time range from \(from) to \(to) is empty") }
    var query = TimelineQuery(from: UnixTimestamp(from), to: UnixTimestamp(to), rows: rows)
    var timeline: RobotTimeline?
    var seenCursors: Set<String> = []
    while true {
      let answer = try await answer(about: camera, query)
      timeline?.append(answer)
      let whole = timeline ?? RobotTimeline(answer)
      timeline = whole
      guard let next = answer.next else { return whole }
      // A timeline that leads back to an earlier page would never end.
      guard next.text.utf8.count <= RecordingSequence.cursorLimit, seenCursors.count < Self.answerLimit,
        seenCursors.insert(next.text).inserted, whole.partCount <= Self.partLimit
      else { throw .malformed("the timeline does not advance: request a shorter time range") }
      query.after = next
    }
  }

  private func answer(about camera: String?, _ query: TimelineQuery) async throws(RobotError) -> CameraTimeline {
    let name = camera ?? "recordings without a camera"
    do throws(RobotError) {
      let target = Resource.camera(name: camera, .timeline(query)).target
      guard let timeline = CameraTimeline(try await requests.json(target, name: name)) else {
        throw .malformed("the timeline lacks 'spans' or 'next'")
      }
      return timeline
    } catch {
      guard case .notFound = error else { throw error }
      // An older robot has no timelines, and gives the same answer.
      if try await cameras().contains(where: { ExactName($0.name) == ExactName(camera) }) {
        throw .notSupported("it has no timelines of its cameras: update it")
      }
      throw error
    }
  }
}
