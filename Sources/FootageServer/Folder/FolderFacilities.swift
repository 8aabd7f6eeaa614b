internal import FootageLibrary

/// The objects that the server of a folder has once, shared by the sources of all its loops.
struct FolderFacilities: Sendable {
  let server: ServerFacilities
  let library: RecordingLibrary
  /// The queue in which recordings are protected and released.
  let protection: ProtectionQueue
  /// The delivery of snapshots to all loops after a change over HTTP.
  let delivery = SnapshotDelivery()
  let health: HealthMonitor
  /// The share of the disk that one viewer may protect.
  var keepShare = RetentionRules.usualKeepShare
}
