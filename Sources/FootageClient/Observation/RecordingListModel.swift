public import FootageCore
public import Observation

/// A model of a robot's recordings for a screen. It loads them page by page and refreshes them. While the robot cannot
/// be reached, it shows the recordings that the robot listed last.
///
/// Call its functions in `.task`, in `.refreshable` and when a row appears. If the task that loads a first page is
/// canceled, the model returns to its former phase. A further page is loaded even if the row that asked for it
/// disappears, for as long as this object exists.
@MainActor @Observable public final class RecordingListModel {
  /// The phase of the model.
  public enum Phase: Hashable, Sendable {
    /// Nothing has been requested yet.
    case idle
    /// The first page is being loaded, and there is nothing to show yet.
    case loading
    /// The shown recordings are being loaded again.
    case refreshing
    /// The next page is being loaded.
    case loadingMore
    /// The requested page has been loaded.
    case loaded
    /// The request failed. `retry` repeats it. The shown recordings stay.
    case failed(RobotError)
  }

  /// The recordings, newest first.
  public private(set) var recordings: [RobotRecording] = []
  public private(set) var phase = Phase.idle
  /// True if more recordings follow the last one.
  public private(set) var hasMore = false
  /// The reason why the robot could not be asked and the recordings are those that it listed last; nil if the robot has
  /// just listed them.
  public private(set) var offlineReason: RobotError?

  /// The camera of the recordings; nil for all. A new value takes effect when the recordings are loaded again.
  public var camera: String?
  /// The moment before which no recording began; nil for all.
  public var since: UnixTime?
  /// The moment before which all recordings began; nil for all.
  public var until: UnixTime?
  /// The state of the recordings; nil for all.
  public var state: RecordingFilter?
  /// The shortest duration of the recordings in seconds; nil or 0 for all.
  public var lasting: Double?

  /// The number of recordings on a page.
  public let pageLength: Int

  @ObservationIgnored private let robot: RobotConnection
  /// The iterator for the recordings that follow those that are shown.
  @ObservationIgnored private var iterator: RecordingSequence.AsyncIterator?
  /// The number of the latest call. An answer to an earlier call is ignored.
  @ObservationIgnored private var turn = 0
  /// The request that is under way, if there is one.
  @ObservationIgnored private var loading: Task<Void, Never>?
  @ObservationIgnored private var failedWithMore = false

  /// - Parameters:
  ///   - robot: the robot that has the recordings.
  ///   - camera: only the recordings of this camera; nil for all.
  ///   - since: only those that began at this moment or later.
  ///   - until: only those that began before this moment.
  ///   - state: only those in this state.
  ///   - lasting: only those that last at least this many seconds; nil or 0 for all.
  ///   - pageLength: the number of recordings on a page.
  public init(
    of robot: RobotConnection, camera: String? = nil, since: UnixTime? = nil, until: UnixTime? = nil,
    state: RecordingFilter? = nil, lasting: Double? = nil, pageLength: Int = 50
  ) {
    self.robot = robot
    self.camera = camera
    self.since = since
    self.until = until
    self.state = state
    self.lasting = lasting
    self.pageLength = max(1, pageLength)
  }

  deinit { loading?.cancel() }

  /// The error of the last call; nil if it did not fail.
  public var error: RobotError? { if case .failed(let error) = phase { error } else { nil } }
  /// True if the recordings that are shown are what the robot listed last.
  public var isOffline: Bool { offlineReason != nil }
  /// The latest time at which one of the shown recordings was listed; nil if the robot has just listed them.
  public var listedAt: UnixTime? { recordings.lazy.compactMap(\.listedAt).max() }
  /// True if a request is under way.
  public var isBusy: Bool { [.loading, .refreshing, .loadingMore].contains(phase) }

  /// True if a request is under way that was not canceled. A canceled one ends soon.
  private var isUnderWay: Bool { isBusy && loading?.isCancelled != true }

  /// Loads the first page, unless there is something to show already.
  public func load() async {
    guard recordings.isEmpty, !isUnderWay else { return }
    await begin(.loading)
  }

  /// Loads the first page again. The shown recordings stay until it has been loaded.
  public func refresh() async { await begin(recordings.isEmpty ? .loading : .refreshing) }

  /// Loads the next page, if there is one and no request is under way.
  public func loadMore() async {
    guard hasMore, !isUnderWay, let iterator else { return }
    // A row that is scrolled away ends its task, but the rows after it are still wanted.
    await load(.loadingMore, from: iterator).value
  }

  /// Loads the next page if a recording is among the last of those that are shown. Call it when the recording's row
  /// appears.
  public func loadMore(showing recording: RobotRecording) async {
    guard recordings.suffix(max(1, pageLength / 4)).contains(where: { $0.id == recording.id }) else { return }
    await loadMore()
  }

  /// Repeats the request that failed.
  public func retry() async {
    guard error != nil else { return }
    if failedWithMore { await loadMore() } else { await refresh() }
  }

  private func begin(_ next: Phase) async {
    let asked = robot.recordings(camera: camera, since: since, until: until, state: state, lasting: lasting)
    let first = asked.makeAsyncIterator()
    let task = load(next, from: first)
    await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// Begins to load a page, and cancels any request that is under way.
  private func load(_ next: Phase, from iterator: RecordingSequence.AsyncIterator) -> Task<Void, Never> {
    turn += 1
    let own = turn
    let former = isBusy ? (recordings.isEmpty ? .idle : .loaded) : phase
    phase = next
    loading?.cancel()
    let task = Task { [weak self, pageLength] in
      var iterator = iterator
      let outcome = await Self.page(&iterator, pageLength)
      guard let self, own == turn else { return }
      let withMore = next == .loadingMore
      switch outcome {
      case .success(let page): take(page, iterator, withMore: withMore)
      case .failure(let error):
        failedWithMore = withMore
        phase = error == .cancelled ? former : .failed(error)
      }
    }
    loading = task
    return task
  }

  private func take(_ page: [RobotRecording], _ next: RecordingSequence.AsyncIterator, withMore: Bool) {
    recordings = withMore ? recordings + page : page
    iterator = next
    hasMore = page.count == pageLength
    offlineReason = next.offlineReason
    phase = .loaded
  }

  private static func page(
    _ iterator: inout RecordingSequence.AsyncIterator, _ length: Int
  ) async -> Result<[RobotRecording], RobotError> {
    var page: [RobotRecording] = []
    do throws(RobotError) {
      while page.count < length, let recording = try await iterator.next() { page.append(recording) }
      return .success(page)
    } catch { return .failure(error) }
  }
}
