/// The buffer into which the connections of a loop write their heads, and the date that each contains.

internal import FootageHTTP
internal import FootageSystem

/// A buffer for response heads. Belongs to its loop's thread. A head is copied out of it before any wait, so that one
/// buffer is enough, and idle connections need none.
final class ResponseHeadBuffer {
  private var writer = ResponseHeadWriter()
  private var date: DateField
  /// The field lines of every response.
  private let commonFields: [UInt8]
  private let clock: Clock

  init(commonFields: [UInt8], clock: Clock) {
    self.clock = clock
    self.commonFields = commonFields
    date = DateField(unixSeconds: 0, followedBy: commonFields)
  }

  /// Returns the `Date` of a response that begins now.
  func currentDate() -> DateField {
    let now = clock.unixSeconds
    let last = date
    if last.unixSeconds == now { return last }
    let next = DateField(unixSeconds: now, followedBy: commonFields)
    date = next
    return next
  }

  /// Passes the writer to `body`, and then the written bytes to `use`, where they are valid only during the call.
  func write<Result>(_ body: (inout ResponseHeadWriter) -> Void, _ use: ([UInt8]) -> Result) -> Result {
    // Taken out and put back, because work in place is checked for exclusive access at every step.
    var lent = ResponseHeadWriter.none
    swap(&lent, &writer)
    body(&lent)
    let result = use(lent.bytes)
    swap(&lent, &writer)
    return result
  }
}
