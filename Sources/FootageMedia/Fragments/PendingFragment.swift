/// A fragment whose media has not been scanned completely.
struct PendingFragment: Sendable {
  let fragment: MovieFragment
  let box: TopLevelBox
  /// The start of the payload of the first `mdat` after the fragment.
  private var mediaStart: UInt64?
  /// The end of the last `mdat` after the fragment, or of the fragment itself.
  private(set) var mediaEnd: UInt64

  init(_ fragment: MovieFragment, _ box: TopLevelBox) {
    self.fragment = fragment
    self.box = box
    mediaEnd = box.end
  }

  /// - Parameter box: an `mdat` after the fragment.
  mutating func add(_ box: TopLevelBox) {
    if mediaStart == nil { mediaStart = box.payload.lowerBound }
    mediaEnd = box.end
  }

  /// True if all samples lie in the `mdat` boxes after the fragment.
  var isWhole: Bool {
    guard let data = fragment.data else { return true }
    guard let mediaStart else { return false }
    return data.lowerBound >= mediaStart && data.upperBound <= mediaEnd
  }
}
