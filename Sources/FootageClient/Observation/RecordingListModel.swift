public import FootageCore
public import Observation

/// A robot's recordings for a screen: loaded page by page, refreshed, and what was listed last while the robot is away.
///
/// Its calls are for `.task`, `.refreshable` and a row that appears. A first page whose call is cancelled leaves
/// everything as it was; a further one comes whatever becomes of the row that asked for it, for as long as this object is
/// there.
@MainActor @Observable public final class RecordingListModel {
  /// What it is about.
  public enum Phase: Hashable, Sendable {
    /// Nothing was asked for yet.
    case idle
    /// The first page is on its way, and there is nothing to show.
    case loading
    /// What is shown is being asked for anew.
    case refreshing
    /// The next page is on its way.
    case loadingMore
    /// What was asked for is here.
    case loaded
    /// It could not be had: `retry` asks again for what failed. What is shown stays.
    case failed(RobotError)
  }

  /// The newest first.
  public private(set) var recordings: [RobotRecording] = []
  public private(set) var phase = Phase.idle
  /// Whether there is more behind the last one.
  public private(set) var hasMore = false
  /// Why what is shown is what the robot listed last; nil while the robot says itself what there is.
  public private(set) var offlineReason: RobotError?

  /// Those of this camera; nil for all. What is shown stays until it is loaded again.
  public var camera: String?
  /// Those that began at this moment or later; nil for all.
  public var since: UnixTime?
  /// Those that began before this moment; nil for all.
  public var until: UnixTime?
  /// Those in this state; nil for all.
  public var state: RecordingFilter?
  /// Those that last at least so long, in seconds; nil or 0 for all.
  public var lasting: Double?

  /// Recordings that are asked for at once.
  public let pageLength: Int

  @ObservationIgnored private let robot: RobotConnection
  /// Behind what is shown.
  @ObservationIgnored private var iterator: RecordingSequence.AsyncIterator?
  /// Tells a call whose answer comes too late.
  @ObservationIgnored private var turn = 0
  /// What is on its way, where something is.
  @ObservationIgnored private var loading: Task<Void, Never>?
  @ObservationIgnored private var failedWithMore = false

  /// - Parameters:
  ///   - robot: whose recordings.
  ///   - camera: those of this camera; nil for all.
  ///   - since: those that began at this moment or later.
  ///   - until: those that began before this moment.
  ///   - state: those in this state.
  ///   - lasting: those that last at least so long, in seconds; nil or 0 for all.
  ///   - pageLength: how many are asked for at once.
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

  /// Why the last call failed; nil where it did not.
  public var error: RobotError? { if case .failed(let error) = phase { error } else { nil } }
  /// Whether what is shown is what the robot listed last.
  public var isOffline: Bool { offlineReason != nil }
  /// When that was, of the newest that is shown.
  public var listedAt: UnixTime? { recordings.lazy.compactMap(\.listedAt).max() }
  /// Whether something is on its way.
  public var isBusy: Bool { [.loading, .refreshing, .loadingMore].contains(phase) }

  /// Whether something is on its way that nobody has called off: what was is only about to end.
  private var isUnderWay: Bool { isBusy && loading?.isCancelled != true }

  /// Loads the first page, unless there is something to show already.
  public func load() async {
    guard recordings.isEmpty, !isUnderWay else { return }
    await begin(.loading)
  }

  /// Loads the first page anew. What is shown stays until that is here.
  public func refresh() async { await begin(recordings.isEmpty ? .loading : .refreshing) }

  /// Loads the next page, where there is one and none is on its way.
  public func loadMore() async {
    guard hasMore, !isUnderWay, let iterator else { return }
    // A row that is scrolled away ends its task, and the rows behind it are wanted all the same.
    await load(.loadingMore, from: iterator).value
  }

  /// Loads the next page where a recording is among the last that are shown: for a row that appears.
  public func loadMore(showing recording: RobotRecording) async {
    guard recordings.suffix(max(1, pageLength / 4)).contains(where: { $0.id == recording.id }) else { return }
    await loadMore()
  }

  /// Asks again for what failed.
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

  /// Begins to load a page, in place of whatever is on its way.
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
