internal import FootageLibrary

/// What the server of a folder has once, and the sources of all its loops work with.
struct FolderFacilities: Sendable {
  let server: ServerFacilities
  let library: RecordingLibrary
  /// Where recordings are protected and released.
  let protection: ProtectionQueue
  /// Who is told of a change that came over HTTP.
  let delivery = SnapshotDelivery()
  let health: HealthMonitor
  /// How much of the disk one viewer may protect.
  var keepShare = RetentionRules.usualKeepShare
}
