internal import FootageAPI
internal import FootageBase
internal import FootageHTTP
internal import FootageServing
internal import FootageLibrary
internal import FootageSystem

/// The waiting requests for views of one loop. The viewers take turns, and the requests of one viewer are served in
/// order. A view is requested from the queue only when it is the request's turn, so none is made for a client that has
/// disconnected. A finished view is also used for equal requests that wait meanwhile. Belongs to its loop's thread.
final class ViewTurns {
  /// The source of a view. Views with equal targets and origins are equal.
  struct Origin: Hashable {
    /// The recording of which it is a view; nil for a view of several recordings.
    let recording: ObjectIdentifier?
    /// The generation of the contents, for a view of several recordings. The next two properties are the cameras that
    /// the viewer may see and the range of time.
    var generation: UInt64 = 0
    var cameras = CameraSelection.all
    var range: Range<UnixTimestamp>?

    /// Creates the origin of a view of one recording; nil if the recording grows, because its views change constantly.
    init?(_ recording: Recording) {
      guard recording.film == nil else { return nil }
      self.recording = ObjectIdentifier(recording)
    }

    /// Creates the origin of a view of a camera's recordings in a period.
    init(_ range: Range<UnixTimestamp>, of cameras: CameraSelection, generation: UInt64) {
      recording = nil
      self.generation = generation
      self.cameras = cameras
      self.range = range
    }
  }

  /// A view, with the recording that it begins with. The recording is kept alive for as long as the view.
  struct View: Sendable {
    let recording: Recording
    let representation: Representation
  }

  private var isTaken = false
  private var waiting = RoundRobin<Viewer, any RequestConnection>()
  /// The number of waiting requests for each target.
  private var wanted: [[UInt8]: Int] = [:]
  private var made: [[UInt8]: (origin: Origin, view: View)] = [:]

  /// The longest time that a request waits for its turn.
  private static let patience = Duration.seconds(60)

  /// Waits for a turn, which the caller must end with `leave`.
  ///
  /// - Parameter target: the normalized target of the request.
  /// - Returns: false if the view is no longer wanted, or if there is no turn in time.
  func take(for viewer: Viewer, _ target: [UInt8], over connection: any RequestConnection) async -> Bool {
    guard isTaken else {
      isTaken = true
      return true
    }
    waiting.append(connection, for: viewer)
    wanted[target, default: 0] += 1
    let isWoken = await connection.hold(until: connection.clock.deadline(after: Self.patience))
    if let count = wanted[target] { wanted[target] = count > 1 ? count - 1 : nil }
    // If the request is still in the queue, it has not been given the turn.
    if waiting.remove(for: viewer, where: { $0 === connection }) { return false }
    if !isWoken { leave() }
    return isWoken
  }

  /// Ends the turn. The next turn is for the next viewer's request that has waited longest.
  func leave() {
    if !made.isEmpty { made = made.filter { wanted[$0.key] != nil } }
    guard let next = waiting.popFirst() else {
      isTaken = false
      return
    }
    next.endHold()
  }

  /// Returns a view that was made in an earlier turn, while this request waited for its own.
  func view(at target: [UInt8], of origin: Origin?) -> View? {
    guard let known = made[target], known.origin == origin else { return nil }
    return known.view
  }

  /// Keeps the view that was made in this turn, while other requests wait for the same one.
  func keep(_ view: View, at target: [UInt8], of origin: Origin?) {
    guard let origin, wanted[target] != nil else { return }
    made[target] = (origin, view)
  }
}
