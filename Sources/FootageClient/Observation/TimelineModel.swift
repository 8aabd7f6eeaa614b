public import FootageCore
public import Observation

/// What a camera recorded over some time, for a timeline on a screen.
@MainActor @Observable public final class TimelineModel {
  /// What it is about.
  public enum Phase: Hashable, Sendable {
    /// Nothing was asked for yet.
    case idle
    /// It is on its way.
    case loading
    /// It is here.
    case loaded
    /// It could not be had; what is shown stays.
    case failed(RobotError)
  }

  /// What is shown; nil before the first one is here.
  public private(set) var timeline: RobotTimeline?
  public private(set) var phase = Phase.idle
  /// Nil for the recordings without a camera.
  public let camera: String?

  @ObservationIgnored private let robot: RobotConnection
  @ObservationIgnored private var turn = 0

  /// - Parameters:
  ///   - camera: nil for the recordings without a camera.
  ///   - robot: whose it is.
  public init(camera: String?, of robot: RobotConnection) {
    self.camera = camera
    self.robot = robot
  }

  /// Why it could not be had; nil where it could.
  public var error: RobotError? { if case .failed(let error) = phase { error } else { nil } }

  /// Loads what there is of a time; what was asked for before and is not here yet is given up.
  ///
  /// - Parameters:
  ///   - from: where it begins.
  ///   - to: where it ends, behind the beginning; not included.
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

  /// Which recording shows a moment, and at which of its seconds; nil in a gap.
  public func part(at moment: UnixTime) -> (part: RobotTimeline.Part, seconds: Double)? {
    guard let span = timeline?.spans.first(where: { $0.from <= moment && moment < $0.to }) else { return nil }
    // Of those that overlap, the one that began last.
    return span.recordings.reversed().lazy.compactMap { part -> (part: RobotTimeline.Part, seconds: Double)? in
      let seconds =
        Double(moment.seconds - part.startedAt.seconds)
        + Double(moment.milliseconds - part.startedAt.milliseconds) / 1_000
      return seconds >= 0 && seconds < part.duration ? (part, seconds) : nil
    }.first
  }
}
