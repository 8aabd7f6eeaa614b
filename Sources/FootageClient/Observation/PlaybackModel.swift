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

  @ObservationIgnored private var source: Source
  @ObservationIgnored private var opening: Task<Void, Never>?
  @ObservationIgnored private var watching: Task<Void, Never>?
  @ObservationIgnored private var keptUp = false
  @ObservationIgnored private var turn = 0

  private enum Source: Sendable {
    case robot(RobotConnection, String)
    /// This very version.
    case listed(RobotConnection, RobotRecording)
    case cache(MediaCache, RecordingKey)

    /// What is opened when that has been tried: what was listed may have been replaced since.
    var next: Source {
      if case .listed(let robot, let recording) = self { .robot(robot, recording.name) } else { self }
    }

    func open() async -> Result<Playback, RobotError> {
      do throws(RobotError) {
        switch self {
        case .robot(let robot, let name): return .success(try await robot.playback(of: name))
        case .listed(let robot, let recording): return .success(try await robot.playback(of: recording))
        case .cache(let cache, let key):
          do throws(MediaCacheError) { return .success(try await cache.playback(of: key)) } catch {
            throw .cache(error)
          }
        }
      } catch { return .failure(error) }
    }
  }

  /// - Parameters:
  ///   - name: as the robot lists it.
  ///   - robot: whose it is.
  public init(_ name: String, of robot: RobotConnection) {
    self.name = name
    source = .robot(robot, name)
  }

  /// - Parameters:
  ///   - recording: as the robot listed it: this very version is opened the first time, and what the robot has by then
  ///     from then on.
  ///   - robot: whose it is.
  public init(_ recording: RobotRecording, of robot: RobotConnection) {
    name = recording.name
    // What was listed long ago may have been replaced since.
    source = recording.listedAt == nil ? .listed(robot, recording) : .robot(robot, recording.name)
  }

  /// What is on this device of a recording, whatever became of its robot.
  ///
  /// - Parameters:
  ///   - key: of the recording: `MediaCache.Entry.key`.
  ///   - cache: that has it.
  public init(_ key: RecordingKey, in cache: MediaCache) {
    name = key.name
    source = .cache(cache, key)
  }

  deinit {
    opening?.cancel()
    watching?.cancel()
  }

  /// Why it could not be opened, or why nothing more comes while it plays; nil while all is well.
  public var error: RobotError? {
    if case .failed(let error) = phase { return error }
    if case .failed(let error)? = state?.activity { return error }
    return nil
  }

  /// Whether a player that stands at a position plays on without a stop, as a `BufferingPolicy` sees it.
  /// What is near the border does not go back and forth. Nil unless it is open.
  ///
  /// - Parameter position: of the player, in seconds of the recording.
  public func canKeepUp(at position: Double) -> Bool? {
    guard let state else { return nil }
    keptUp = BufferingPolicy().canKeepUp(state, at: position, before: keptUp)
    return keptUp
  }

  /// How much of what was opened is on this device, from 0 to 1.
  public var cachedShare: Double {
    guard let state, state.length > 0 else { return 0 }
    return Double(state.cachedBytes.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) }) / Double(state.length)
  }

  /// Opens the recording, unless it is open: for `.task`. It can be played from then on.
  public func open() async {
    // One whose call was cancelled is only about to end.
    guard playback == nil, phase != .opening || opening?.isCancelled == true else { return }
    turn += 1
    let own = turn
    phase = .opening
    let source = self.source
    self.source = source.next
    let task = Task { [weak self] in
      let outcome = await source.open()
      guard let self, own == turn else { return }
      switch outcome {
      case .success(let opened): show(opened)
      case .failure(let error): phase = error == .cancelled ? .closed : .failed(error)
      }
    }
    opening = task
    await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
  }

  private func show(_ opened: Playback) {
    playback = opened
    state = opened.state
    phase = .open
    let own = turn
    watching = Task { [weak self, states = opened.states()] in
      for await state in states {
        // One that was waiting to be shown when this was closed is of a recording that is not open any more.
        guard let self, own == turn else { return }
        self.state = state
      }
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
    opening?.cancel()
    opening = nil
    watching?.cancel()
    watching = nil
    playback = nil
    state = nil
    phase = .closed
  }
}
