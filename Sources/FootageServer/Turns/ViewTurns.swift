internal import FootageAPI
internal import FootageBase
internal import FootageHTTP
internal import FootageServing
internal import FootageLibrary
internal import FootageSystem

/// Whose view a loop has made next: turns go round the viewers, and of one viewer they come in order. A request that
/// waits is held, so that nothing is made for a client that has gone. What is made is there for equal requests that wait
/// meanwhile. Belongs to its loop's thread.
final class ViewTurns {
  /// What a view is made of: of equal targets and origins views are equal.
  struct Origin: Hashable {
    /// The recording that it is a view of, or begins with.
    let recording: ObjectIdentifier?
    /// Of a view of several recordings: what there was, for whom, and of which time.
    var generation: UInt64 = 0
    var cameras = CameraSelection.all
    var range: Range<UnixTimestamp>?

    /// Of one recording; nil where it grows, so that what is made of it is another view a moment later.
    init?(_ recording: Recording) {
      guard recording.film == nil else { return nil }
      self.recording = ObjectIdentifier(recording)
    }

    /// Of what a camera recorded over some time.
    init(_ range: Range<UnixTimestamp>, of cameras: CameraSelection, generation: UInt64) {
      recording = nil
      self.generation = generation
      self.cameras = cameras
      self.range = range
    }
  }

  /// A view, and the recording that it begins with, which lives as long.
  struct View: Sendable {
    let recording: Recording
    let representation: Representation
  }

  private var isTaken = false
  private var waiting = RoundRobin<Viewer, any RequestConnection>()
  /// How many requests wait for each target.
  private var wanted: [[UInt8]: Int] = [:]
  private var made: [[UInt8]: (origin: Origin, view: View)] = [:]

  /// How long a request waits for its turn.
  private static let patience = Duration.seconds(60)

  /// Waits for the turn, which is to be given back by `leave`.
  ///
  /// - Parameter target: of the request, as it is written best.
  /// - Returns: false where the view is not wanted any more, or its turn does not come.
  func take(for viewer: Viewer, _ target: [UInt8], over connection: any RequestConnection) async -> Bool {
    guard isTaken else {
      isTaken = true
      return true
    }
    waiting.append(connection, for: viewer)
    wanted[target, default: 0] += 1
    let isWoken = await connection.hold(until: connection.clock.deadline(after: Self.patience))
    if let count = wanted[target] { wanted[target] = count > 1 ? count - 1 : nil }
    // Where it is there still, nobody has given it the turn.
    if waiting.remove(for: viewer, where: { $0 === connection }) { return false }
    if !isWoken { leave() }
    return isWoken
  }

  /// Gives the turn to the next viewer's request that waits longest.
  func leave() {
    if !made.isEmpty { made = made.filter { wanted[$0.key] != nil } }
    guard let next = waiting.popFirst() else {
      isTaken = false
      return
    }
    next.endHold()
  }

  /// What was made in an earlier turn, while this request waited for its own.
  func view(at target: [UInt8], of origin: Origin?) -> View? {
    guard let known = made[target], known.origin == origin else { return nil }
    return known.view
  }

  /// Keeps what was made in this turn, as long as others wait for the same.
  func keep(_ view: View, at target: [UInt8], of origin: Origin?) {
    guard let origin, wanted[target] != nil else { return }
    made[target] = (origin, view)
  }
}
