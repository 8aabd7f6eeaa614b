/// The buffer that the connections of a loop write their heads into, and the date that goes into each.

internal import HTTPSemantics
internal import Networking

/// Belongs to its loop's thread. A head is copied from here before anything is waited for, so one is enough, and idle
/// connections own none.
final class ResponseHeads {
  var writer = ResponseHeadWriter()
  private var date = DateField(unixSeconds: 0)

  /// The `Date` of a response that begins now.
  func currentDate() -> DateField {
    date.update(unixSeconds: WallClock.unixSeconds)
    return date
  }
}
