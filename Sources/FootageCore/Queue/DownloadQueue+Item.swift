extension DownloadQueue {
  /// A recording that is to be, or was, fetched into the cache.
  public struct Item: Hashable, Sendable, Identifiable {
    /// Its recording: for `MediaCache.playback(of:)`.
    public let key: RecordingKey
    /// As it was listed when it was added; nil where it was added by its name.
    public let recording: RobotRecording?
    public internal(set) var state: State
    /// How far it is, as far as this process has seen; nil before that.
    public internal(set) var progress: DownloadProgress?
    /// Whether it was fetched while the network was metered, too.
    public internal(set) var allowsMeteredNetworks: Bool

    /// Its recording: one for a queue.
    public var id: RecordingKey { key }

    /// - Parameters:
    ///   - key: its recording.
    ///   - recording: as it was listed.
    ///   - state: how it is.
    ///   - progress: how far it is.
    ///   - allowsMeteredNetworks: whether it is fetched while the network is metered, too.
    public init(
      key: RecordingKey, recording: RobotRecording? = nil, state: State = .waiting(.turn),
      progress: DownloadProgress? = nil, allowsMeteredNetworks: Bool = false
    ) {
      self.key = key
      self.recording = recording
      self.state = state
      self.progress = progress
      self.allowsMeteredNetworks = allowsMeteredNetworks
    }
  }

  /// How an item is.
  public enum State: Hashable, Sendable {
    /// It is not fetched yet, and will be by itself.
    case waiting(Reason)
    /// It comes.
    case downloading
    /// A person has paused it: `resume` goes on with it.
    case paused
    /// It is on this device, and kept.
    case finished
    /// It cannot be had, and is not tried again by itself: `retry` does.
    case failed(Failure)

    /// Whether nothing becomes of it before a person wants something else: it is finished, has failed, or is paused, or
    /// all of the queue is.
    public var isAtRest: Bool {
      switch self {
      case .finished, .failed, .paused, .waiting(.queue): true
      case .waiting, .downloading: false
      }
    }
  }

  /// What an item waits for.
  public enum Reason: Hashable, Sendable {
    /// Others that are before it.
    case turn
    /// A connection to its robot: `DownloadQueue.connect(_:)`.
    case connection
    /// A network, or one that is not metered.
    case network
    /// All of the queue is paused.
    case queue
    /// The robot is away: it is asked again, with growing pauses.
    case robot(RobotError)
  }

  /// Why an item cannot be had.
  public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// It could not be opened.
    case robot(RobotError)
    /// Its bytes could not be had, or kept.
    case cache(MediaCacheError)
    /// It failed while an earlier process ran, for this reason in its words.
    case earlier(String)

    public var description: String {
      switch self {
      case .robot(let error): error.description
      case .cache(let error): error.description
      case .earlier(let words): words
      }
    }
  }
}
