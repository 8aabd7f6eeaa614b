public import FootageCore
public import Observation

/// A model of a recording that a screen plays. The model opens it, follows its state, and closes it again.
///
/// The open recording is held for as long as this object exists, or until `close`.
@MainActor @Observable public final class PlaybackModel {
  /// The phase of the model.
  public enum Phase: Hashable, Sendable {
    /// Nothing is open.
    case closed
    /// The recording is being opened.
    case opening
    /// The recording is open: its bytes come from the cache and the robot.
    case open
    /// The recording could not be opened. `open` tries again.
    case failed(RobotError)
  }

  public private(set) var phase = Phase.closed
  /// The playback that gives a player its URL; nil unless the recording is open.
  public private(set) var playback: Playback?
  /// The current state; nil unless the recording is open.
  public private(set) var state: PlaybackState?
  /// The name in the robot's list.
  public let name: String

  @ObservationIgnored private var source: Source
  @ObservationIgnored private var opening: Task<Void, Never>?
  @ObservationIgnored private var watching: Task<Void, Never>?
  @ObservationIgnored private var keptUp = false
  @ObservationIgnored private var turn = 0

  private enum Source: Sendable {
    case robot(RobotConnection, String)
    /// The version that was listed, and no other.
    case listed(RobotConnection, RobotRecording)
    case cache(MediaCache, RecordingKey)

    /// The source for the next attempt to open the recording. After a listed version has been opened, it is the robot's
    /// current version, since the listed version may have been replaced.
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
  ///   - robot: the robot that has the recording.
  public init(_ name: String, of robot: RobotConnection) {
    self.name = name
    source = .robot(robot, name)
  }

  /// - Parameters:
  ///   - recording: as the robot listed it. This exact version is opened the first time, and the robot's current
  ///     version after that.
  ///   - robot: the robot that has the recording.
  public init(_ recording: RobotRecording, of robot: RobotConnection) {
    name = recording.name
    // A recording from a remembered list may have been replaced since.
    source = recording.listedAt == nil ? .listed(robot, recording) : .robot(robot, recording.name)
  }

  /// Creates a model that plays a recording from the cache alone, without its robot.
  ///
  /// - Parameters:
  ///   - key: the key of the recording: `MediaCache.Entry.key`.
  ///   - cache: the cache that holds the recording.
  public init(_ key: RecordingKey, in cache: MediaCache) {
    name = key.name
    source = .cache(cache, key)
  }

  deinit {
    opening?.cancel()
    watching?.cancel()
  }

  /// The reason why the recording could not be opened, or why no more bytes arrive while it plays; nil while all is
  /// well.
  public var error: RobotError? {
    if case .failed(let error) = phase { return error }
    if case .failed(let error)? = state?.activity { return error }
    return nil
  }

  /// Returns true if a player at a position can play on without a stop, by the rules of `BufferingPolicy`. The rules
  /// have hysteresis, so that the answer does not alternate near their limit. It is nil unless the recording is open.
  ///
  /// - Parameter position: the position of the player, in seconds of the recording.
  public func canKeepUp(at position: Double) -> Bool? {
    guard let state else { return nil }
    keptUp = BufferingPolicy().canKeepUp(state, at: position, before: keptUp)
    return keptUp
  }

  /// The share of the open recording that is on this device, from 0 to 1.
  public var cachedShare: Double {
    guard let state, state.length > 0 else { return 0 }
    return Double(state.cachedBytes.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) }) / Double(state.length)
  }

  /// Opens the recording, unless it is open. Call it in a view's `.task`. When it has returned without a failure, the
  /// recording can be played.
  public func open() async {
    // An opening whose call was cancelled is only about to end.
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
        // A state that was still to be shown when this was closed belongs to a recording that is no longer open.
        guard let self, own == turn else { return }
        self.state = state
      }
    }
  }

  /// Opens the recording again, after it was replaced, or after another machine answered in place of the robot.
  public func reopen() async {
    close()
    await open()
  }

  /// Closes the recording. Its URL is no longer valid.
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
