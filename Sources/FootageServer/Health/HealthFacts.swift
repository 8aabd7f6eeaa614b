internal import FootageAPI
internal import FootageBase
internal import FootageLibrary
internal import FootageSystem

/// The observations of a robot at one moment, from which its health is judged.
struct HealthFacts: Sendable {
  /// The time of the robot's clock.
  var now: UnixTimestamp
  /// The time when this program was built. The present cannot be earlier.
  var built: UnixTimestamp
  /// The number of recordings, in any state.
  var recordingCount = 0
  var library = LibraryCondition()
  var statistics: LibraryStatistics
  /// The space on the disk of the recordings; nil if the disk could not be queried.
  var space: FileSystemSpace?
  /// True if old recordings are deleted automatically when room becomes scarce.
  var makesRoom = false
  /// The time until the room is used up, in seconds; nil if it is unknown.
  var forecastSeconds: Int64?
  /// The reason why recordings that the rules select are not deleted; nil if there is no such problem.
  var retentionFailure: String?
  /// True if there is less room than the rules require, and no recording may be deleted.
  var isRetentionShort = false
  /// The time in seconds since a recording was last deleted before it was in the store, and the number of all
  /// recordings that were lost in this way; nil if there was none within a day.
  var lostUnstored: (seconds: Int64, count: UInt64)?
  /// The number of bytes that one viewer may protect; nil while it is unknown.
  var keepLimit: UInt64?
  /// The reasons that keep recordings from reaching the store.
  var offloadTroubles: [HealthReport.Reason] = []
  /// The time when the server's certificate expires; nil if it is unknown.
  var certificateEnd: UnixTimestamp?
  /// The reason why the certificates on the disk cannot be used; nil if they can.
  var certificateFailure: String?
  /// The number of times that the process that reads files ended within the last hour.
  var indexerRestartsOfLastHour: UInt64 = 0
  /// The time since the last completed observation of the disk, in seconds.
  var silentDiskSeconds: Int64 = 0
}

/// The limits by which health is judged.
enum HealthLimits {
  /// The room below which the disk counts as full, in bytes. With less, a recorder cannot record for a useful time.
  static let fullBytes: UInt64 = 64 << 20
  /// The forecast time until the room is used up, in seconds, below which it is reported.
  static let forecastSeconds: Int64 = 86_400
  /// The divisor of a disk's size: a disk with less free space than the quotient is reported. Where old recordings are
  /// deleted automatically, little free space is normal.
  static let lowDivisor: UInt64 = 20
  /// The number of a camera's usual intervals after which the camera is late.
  static let lateIntervals: Int64 = 3
  /// The shortest silence after which a camera is late, in seconds.
  static let lateSeconds: Int64 = 600
  /// The silence after which a camera is forgotten, in seconds.
  static let forgottenSeconds: Int64 = 7 * 86_400
  /// The remaining validity below which a certificate is reported, in days.
  static let certificateDays: Int64 = 30
  /// The number of times that the process that reads files must end within an hour to be reported.
  static let indexerRestarts: UInt64 = 3
  /// The time for which the loss of recordings is reported, in seconds.
  static let lossSeconds: Int64 = 86_400
  /// The part of the permitted share that a viewer must protect to be reported, in tenths.
  static let keepShareTenths: UInt64 = 9
  /// The time after which a disk or a task counts as not answering, in seconds.
  static let stuckSeconds: Int64 = 12
  /// The maximum number of refused files that are reported by name.
  static let namedRefusals = 3
  /// The maximum number of cameras that are reported by name.
  static let namedCameras = 20
}
