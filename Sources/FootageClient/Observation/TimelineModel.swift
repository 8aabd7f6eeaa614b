public import FootageCore
public import Observation

/// A model of a camera's recordings over a period, for a timeline on a screen.
@MainActor @Observable public final class TimelineModel {
  /// The phase of the model.
  public enum Phase: Hashable, Sendable {
    /// Nothing has been requested yet.
    case idle
    /// The timeline is being loaded.
    case loading
    /// The timeline has been loaded.
    case loaded
    /// The timeline could not be loaded. The shown one stays.
    case failed(RobotError)
  }

  /// The timeline that is shown; nil before the first one has been loaded.
  public private(set) var timeline: RobotTimeline?
  public private(set) var phase = Phase.idle
  /// The camera; nil for the recordings without a camera.
  public let camera: String?

  @ObservationIgnored private let robot: RobotConnection
  @ObservationIgnored private var turn = 0

  /// - Parameters:
  ///   - camera: nil for the recordings without a camera.
  ///   - robot: the robot that has the camera.
  public init(camera: String?, of robot: RobotConnection) {
    self.camera = camera
    self.robot = robot
  }

  /// The reason why the timeline could not be loaded; nil if it could.
  public var error: RobotError? { if case .failed(let error) = phase { error } else { nil } }

  /// Loads the timeline of a time range. An earlier request that has not been answered yet is canceled.
  ///
  /// - Parameters:
  ///   - from: the beginning of the range.
  ///   - to: its end, later than `from`; not included.
  public func load(from: UnixTime, to: UnixTime) async {
    turn += 1
    let own = turn
    let former = phase == .loading ? (timeline == nil ? .idle : .loaded) : phase
    phase = .loading
    do throws(RobotError) {
      let loaded = try await robot.timeline(camera: camera, from: from, to: to)
      guard own == turn else { return }
      timeline = loaded
      phase = .loaded
    } catch {
      guard own == turn else { return }
      phase = error == .cancelled ? former : .failed(error)
    }
  }

  /// Returns the recording that shows a moment, and the second at which it does; nil in a gap.
  public func part(at moment: UnixTime) -> (part: RobotTimeline.Part, seconds: Double)? {
    guard let span = timeline?.spans.first(where: { $0.from <= moment && moment < $0.to }) else { return nil }
    // Of recordings that overlap, the one that began last counts.
    return span.recordings.reversed().lazy.compactMap { part -> (part: RobotTimeline.Part, seconds: Double)? in
      let seconds =
        Double(moment.seconds - part.startedAt.seconds)
        + Double(moment.milliseconds - part.startedAt.milliseconds) / 1_000
      return seconds >= 0 && seconds < part.duration ? (part, seconds) : nil
    }.first
  }
}
