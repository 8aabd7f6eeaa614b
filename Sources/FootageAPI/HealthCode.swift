/// What a robot says about how it is, for programs: the `code` of a reason in `/health`.
package enum HealthCode: String, CaseIterable, Sendable {
  /// Nothing more can be recorded.
  case diskFull = "disk-full"
  /// There is little room left, or it will be used up soon.
  case diskLow = "disk-low"
  /// The disk has not answered for a while.
  case diskStuck = "disk-stuck"
  /// The recordings folder is not there.
  case folderMissing = "folder-missing"
  /// The recordings folder is there, and its disk is not.
  case mountLost = "mount-lost"
  /// Some recordings are on a disk that is not there.
  case recordingsAway = "recordings-away"
  /// What is kept for the next start cannot be written, or lies in a temporary folder.
  case stateUnwritable = "state-unwritable"
  /// The catalog cannot be written.
  case catalogUnwritable = "catalog-unwritable"
  /// The system does not tell of changes in all folders.
  case unwatched = "unwatched"
  /// New recordings are not looked at.
  case libraryStuck = "library-stuck"
  /// A camera records nothing while another one does.
  case cameraLate = "camera-late"
  /// No camera records: what is so when the robot is parked.
  case camerasSilent = "cameras-silent"
  /// Files were refused within the last day.
  case refusedLately = "refused-lately"
  /// The server's certificate ends soon.
  case certificateExpiring = "certificate-expiring"
  /// The server's certificate has ended.
  case certificateExpired = "certificate-expired"
  /// The certificates that lie there now cannot be used.
  case certificatesUnusable = "certificates-unusable"
  /// The clock shows a time before this program was made.
  case clockNotSet = "clock-not-set"
  /// The process that reads files was started again and again.
  case indexerRestarts = "indexer-restarts"
  /// Old recordings should go, and do not.
  case retentionFailing = "retention-failing"
  /// There is less room than the rules for making some ask for, and nothing that may be deleted.
  case retentionShort = "retention-short"
  /// A viewer protects nearly as much of the disk as one may, or more.
  case keepShare = "keep-share"
  /// Recordings were deleted to make room that were not in the store yet.
  case unstoredDeleted = "unstored-deleted"
  /// The store does not answer.
  case offloadAway = "offload-away"
  /// The store does not let the robot in, or lacks the bucket.
  case offloadDenied = "offload-denied"
  /// Somebody else answers in the store's place, or it gives other bytes than it was given.
  case offloadUntrusted = "offload-untrusted"
  /// The store points elsewhere.
  case offloadRedirect = "offload-redirect"
  /// The store has no room.
  case offloadFull = "offload-full"
  /// What lies in the robot's place in the store was signed by another key.
  case offloadForeign = "offload-foreign"
  /// Recordings that were in the store alone are not there any more.
  case offloadMissing = "offload-missing"
  /// The record of what is in the store cannot be read or written.
  case offloadRecord = "offload-record"
  /// The list of robots that lies there now cannot be used.
  case robotsUnusable = "robots-unusable"

  /// How bad it is.
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
    case .camerasSilent: .ok
    }
  }
}

/// How a robot is, from best to worst.
package enum HealthStatus: String, CaseIterable, Comparable, Sendable {
  case ok
  /// It does its work, and somebody should look after it.
  case degraded
  /// Something that it is there for does not work.
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
