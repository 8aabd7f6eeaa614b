/// A fragment whose media has not all been seen yet.
struct PendingFragment: Sendable {
  let fragment: MovieFragment
  let box: TopLevelBox
  /// Of the first `mdat` after it.
  private var mediaStart: UInt64?
  /// Of the last one, or of the fragment itself.
  private(set) var mediaEnd: UInt64

  init(_ fragment: MovieFragment, _ box: TopLevelBox) {
    self.fragment = fragment
    self.box = box
    mediaEnd = box.end
  }

  /// - Parameter box: an `mdat` that follows.
  mutating func add(_ box: TopLevelBox) {
    if mediaStart == nil { mediaStart = box.payload.lowerBound }
    mediaEnd = box.end
  }

  /// Whether all its samples lie in the `mdat` boxes that follow it.
  var isWhole: Bool {
    guard let data = fragment.data else { return true }
    guard let mediaStart else { return false }
    return data.lowerBound >= mediaStart && data.upperBound <= mediaEnd
  }
}
