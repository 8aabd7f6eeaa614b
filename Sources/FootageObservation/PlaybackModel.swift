public import FootageCore
public import Observation

/// A recording that is being watched, for a screen: opened, its state as it changes, and closed again.
///
/// What it opens is held for as long as this object is, or until `close`.
@MainActor @Observable public final class PlaybackModel {
  /// What it is about.
  public enum Phase: Hashable, Sendable {
    /// Nothing is open.
    case closed
    /// It is being opened.
    case opening
    /// It plays: from here, and from the robot.
    case open
    /// It could not be opened: `open` tries again.
    case failed(RobotError)
  }

  public private(set) var phase = Phase.closed
  /// What a player is given its URL by; nil unless it is open.
  public private(set) var playback: Playback?
  /// As of now; nil unless it is open.
  public private(set) var state: PlaybackState?
  /// As the robot lists it.
  public let name: String

  @ObservationIgnored private let robot: RobotConnection
  @ObservationIgnored private let listed: RobotRecording?
  @ObservationIgnored private var watching: Task<Void, Never>?
  @ObservationIgnored private var turn = 0

  /// - Parameters:
  ///   - name: as the robot lists it.
  ///   - robot: whose it is.
  public init(_ name: String, of robot: RobotConnection) {
    self.name = name
    self.robot = robot
    listed = nil
  }

  /// - Parameters:
  ///   - recording: as the robot listed it: this very version.
  ///   - robot: whose it is.
  public init(_ recording: RobotRecording, of robot: RobotConnection) {
    name = recording.name
    self.robot = robot
    // What was listed long ago may have been replaced since.
    listed = recording.listedAt == nil ? recording : nil
  }

  deinit { watching?.cancel() }

  /// Why it could not be opened, or why nothing more comes while it plays; nil while all is well.
  public var error: RobotError? {
    if case .failed(let error) = phase { return error }
    if case .failed(let error)? = state?.activity { return error }
    return nil
  }

  /// Whether a player that plays on at this speed is not kept waiting: all of it is here, or bytes come faster than the
  /// recording's own on average. Nil while that is not known.
  public var canKeepUp: Bool? {
    guard let state else { return nil }
    if state.isComplete { return true }
    switch state.activity {
    case .stalled, .retrying, .failed: return false
    // A read-ahead that is filled asks for nothing.
    case .idle: return true
    case .loading: break
    }
    guard let duration = state.duration, duration > 0, state.bytesPerSecond > 0 else { return nil }
    return state.bytesPerSecond >= Double(state.length) / duration
  }

  /// How much of what was opened is on this device, from 0 to 1.
  public var cachedShare: Double {
    guard let state, state.length > 0 else { return 0 }
    return Double(state.cachedBytes.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) }) / Double(state.length)
  }

  /// Opens the recording, unless it is open: for `.task`. It can be played from then on.
  public func open() async {
    guard playback == nil, phase != .opening else { return }
    turn += 1
    let own = turn
    phase = .opening
    do throws(RobotError) {
      let opened: Playback
      if let listed {
        opened = try await robot.playback(of: listed)
      } else {
        opened = try await robot.playback(of: name)
      }
      guard own == turn else { return }
      playback = opened
      state = opened.state
      phase = .open
      watching = Task { [weak self, states = opened.states()] in
        for await state in states { self?.state = state }
      }
    } catch {
      guard own == turn else { return }
      phase = error == .cancelled ? .closed : .failed(error)
    }
  }

  /// Opens it anew: for what was replaced, or after somebody else has answered in the robot's place.
  public func reopen() async {
    close()
    await open()
  }

  /// Lets go of it: its URL ends.
  public func close() {
    turn += 1
    watching?.cancel()
    watching = nil
    playback = nil
    state = nil
    phase = .closed
  }
}
