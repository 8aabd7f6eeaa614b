internal import FootageAPI

/// What keeps recordings from the store: what it said last, and what was found in it. No input or output.
struct OffloadTroubles: Hashable {
  /// Why something failed the last time; gone with the next success.
  var failure: HealthReport.Reason?
  /// What the last look at all of the store has found, until the next one.
  var finding: HealthReport.Reason?

  var all: [HealthReport.Reason] { [failure, finding].compactMap(\.self) }
}
