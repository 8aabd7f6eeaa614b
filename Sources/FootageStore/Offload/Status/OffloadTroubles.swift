internal import FootageAPI

/// The troubles that keep recordings from the store: its last failure, and what was found in it. No input or output.
struct OffloadTroubles: Hashable {
  /// The reason for the last failure; nil after the next success.
  var failure: HealthReport.Reason?
  /// The manifests that another robot has signed, as the last sweep of the store has found them.
  var foreign: HealthReport.Reason?
  /// The recordings that the store alone had, and no longer has.
  var missing: HealthReport.Reason?

  var all: [HealthReport.Reason] { [failure, foreign, missing].compactMap(\.self) }
}
