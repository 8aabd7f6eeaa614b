/// The reasons for a robot's health status, for programs: the `code` of a reason in `/health`.
package enum HealthCode: String, CaseIterable, Sendable {
  /// Nothing more can be recorded.
  case diskFull = "disk-full"
  /// There is little room left, or the room will soon be used up.
  case diskLow = "disk-low"
  /// The disk has not answered for a while.
  case diskStuck = "disk-stuck"
  /// The recordings folder does not exist.
  case folderMissing = "folder-missing"
  /// The recordings folder exists, but its disk is missing.
  case mountLost = "mount-lost"
  /// Some recordings are on a disk that is missing.
  case recordingsAway = "recordings-away"
  /// The data kept for the next start cannot be written, or lies in a temporary folder.
  case stateUnwritable = "state-unwritable"
  /// The catalog cannot be written.
  case catalogUnwritable = "catalog-unwritable"
  /// The system does not report changes in all folders.
  case unwatched = "unwatched"
  /// New recordings are not examined.
  case libraryStuck = "library-stuck"
  /// A camera records nothing while another camera does.
  case cameraLate = "camera-late"
  /// No camera records, as when the robot is parked.
  case camerasSilent = "cameras-silent"
  /// Files were refused within the last day.
  case refusedLately = "refused-lately"
  /// There are video files in the recordings folder that are not MP4, and so are no recordings.
  case foreignFiles = "foreign-files"
  /// The server's certificate expires soon.
  case certificateExpiring = "certificate-expiring"
  /// The server's certificate has expired.
  case certificateExpired = "certificate-expired"
  /// The certificates now on the disk cannot be used.
  case certificatesUnusable = "certificates-unusable"
  /// The clock shows a time before this program was built.
  case clockNotSet = "clock-not-set"
  /// The process that reads files was restarted again and again.
  case indexerRestarts = "indexer-restarts"
  /// Old recordings should be deleted, but are not.
  case retentionFailing = "retention-failing"
  /// There is less room than the retention rules require, and nothing may be deleted.
  case retentionShort = "retention-short"
  /// The recordings that a viewer protects take up nearly the whole share of the disk that a viewer may protect, or
  /// more.
  case keepShare = "keep-share"
  /// Recordings that were not in the store yet were deleted to make room.
  case unstoredDeleted = "unstored-deleted"
  /// The store does not answer.
  case offloadAway = "offload-away"
  /// The store denies the robot access, or lacks the bucket.
  case offloadDenied = "offload-denied"
  /// Another server answers in the store's place, or the store returns other bytes than it was given.
  case offloadUntrusted = "offload-untrusted"
  /// The store redirects to another address.
  case offloadRedirect = "offload-redirect"
  /// The store is full.
  case offloadFull = "offload-full"
  /// The store has manifests under this robot's name that another key signed.
  case offloadForeign = "offload-foreign"
  /// Recordings that were only in the store are no longer there.
  case offloadMissing = "offload-missing"
  /// The robot's record of the store's contents cannot be read or written.
  case offloadRecord = "offload-record"
  /// The list of robots now on the disk cannot be used.
  case robotsUnusable = "robots-unusable"

  /// The status that this reason gives a robot.
  package var status: HealthStatus {
    switch self {
    case .diskFull, .diskStuck, .folderMissing, .mountLost, .libraryStuck, .retentionFailing, .unstoredDeleted,
      .offloadMissing:
      .failing
    case .diskLow, .recordingsAway, .stateUnwritable, .catalogUnwritable, .unwatched, .cameraLate, .refusedLately,
      .certificateExpiring, .certificateExpired, .certificatesUnusable, .clockNotSet, .indexerRestarts, .retentionShort,
      .keepShare, .offloadAway, .offloadDenied, .offloadUntrusted, .offloadRedirect, .offloadFull, .offloadForeign,
      .offloadRecord, .robotsUnusable:
      .degraded
    case .camerasSilent, .foreignFiles: .ok
    }
  }
}

/// The health of a robot, from best to worst.
package enum HealthStatus: String, CaseIterable, Comparable, Sendable {
  case ok
  /// The robot does its work, but a person should look after it.
  case degraded
  /// A function that people rely on does not work: recording, keeping or serving recordings.
  case failing

  package static func < (one: HealthStatus, other: HealthStatus) -> Bool { one.rank < other.rank }

  private var rank: Int {
    switch self {
    case .ok: 0
    case .degraded: 1
    case .failing: 2
    }
  }
}
