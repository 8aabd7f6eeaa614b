internal import FootageAPI

/// The troubles that keep recordings from being stored: the store's last failure, and the findings of sweeps. It does
/// no input or output.
struct OffloadTroubles: Hashable {
  /// The reason for the last failure; nil after the next success.
  var failure: HealthReport.Reason?
  /// The manifests that another robot has signed, according to the last sweep of the store.
  var foreign: HealthReport.Reason?
  /// The recordings that only the store had, and that the store no longer has.
  var missing: HealthReport.Reason?

  var all: [HealthReport.Reason] { [failure, foreign, missing].compactMap(\.self) }
}
