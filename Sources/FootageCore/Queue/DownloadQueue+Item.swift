extension DownloadQueue {
  /// A recording in the queue: one that is to be fetched into the cache, or has been.
  public struct Item: Hashable, Sendable, Identifiable {
    /// The key of the recording, for `MediaCache.playback(of:)`.
    public let key: RecordingKey
    /// The recording as it was listed when it was added; nil if it was added by its name.
    public let recording: RobotRecording?
    public internal(set) var state: State
    /// The progress of the fetch in this process; nil before the fetch begins.
    public internal(set) var progress: DownloadProgress?
    /// True if the item is also fetched while the network is metered.
    public internal(set) var allowsMeteredNetworks: Bool

    /// The key of the recording, which occurs once in a queue.
    public var id: RecordingKey { key }

    /// - Parameters:
    ///   - key: the key of the recording.
    ///   - recording: the recording as it was listed.
    ///   - state: the state of the item.
    ///   - progress: the progress of the item.
    ///   - allowsMeteredNetworks: true if it is also fetched while the network is metered.
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

  /// The state of an item.
  public enum State: Hashable, Sendable {
    /// The item has not been fetched yet, and will be fetched automatically.
    case waiting(Reason)
    /// The item is being fetched.
    case downloading
    /// A person has paused the item. `resume` continues it.
    case paused
    /// The recording is complete in the cache, and kept there.
    case finished
    /// The recording cannot be fetched. Only `retry` tries it again.
    case failed(Failure)

    /// True if the item does not change until a person acts: it is finished, has failed or is paused, or the whole
    /// queue is paused.
    public var isAtRest: Bool {
      switch self {
      case .finished, .failed, .paused, .waiting(.queue): true
      case .waiting, .downloading: false
      }
    }
  }

  /// The reason why an item waits.
  public enum Reason: Hashable, Sendable {
    /// Other items are fetched first.
    case turn
    /// The queue has no connection to the robot: see `DownloadQueue.connect(_:)`.
    case connection
    /// There is no network, or only a metered one.
    case network
    /// The whole queue is paused.
    case queue
    /// The robot cannot be reached, or cannot answer now. It is asked again, with growing pauses.
    case robot(RobotError)
  }

  /// The reason why an item cannot be fetched.
  public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The recording could not be opened.
    case robot(RobotError)
    /// The bytes could not be fetched, or could not be kept.
    case cache(MediaCacheError)
    /// The item failed while an earlier process ran. The text is the reason in the words of that process.
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
