internal import FootageAPI

/// What keeps recordings from the store: what it said last, and what was found in it. No input or output.
struct OffloadTroubles: Hashable {
  /// Why something failed the last time; gone with the next success.
  var failure: HealthReport.Reason?
  /// What the last look at all of the store has found that another robot has signed, until the next one.
  var foreign: HealthReport.Reason?
  /// What the store alone had, and has no more.
  var missing: HealthReport.Reason?

  var all: [HealthReport.Reason] { [failure, foreign, missing].compactMap(\.self) }
}
