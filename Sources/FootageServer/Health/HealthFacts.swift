internal import FootageAPI
internal import FootageBase
internal import FootageLibrary
internal import FootageSystem

/// What was observed of a robot at one moment: all that its health is judged by.
struct HealthFacts: Sendable {
  /// What the robot's clock says.
  var now: UnixTimestamp
  /// When this program was made: nothing can be earlier.
  var built: UnixTimestamp
  /// How many recordings there are, in whatever state.
  var recordingCount = 0
  var library = LibraryCondition()
  var statistics: LibraryStatistics
  /// Where the recordings are; nil where the disk could not be asked.
  var space: FileSystemSpace?
  /// Whether old recordings go by themselves when room gets scarce.
  var makesRoom = false
  /// How long the room lasts, in seconds; nil where nobody can say.
  var forecastSeconds: Int64?
  /// Why old recordings that should go do not; nil where they do, or need not.
  var retentionFailure: String?
  /// True if there is less room than the rules ask for, and nothing that may be deleted.
  var isRetentionShort = false
  /// For how long it has been known that recordings were deleted that were not in the store, in seconds, and how many;
  /// nil where none was within a day.
  var lostUnstored: (seconds: Int64, count: UInt64)?
  /// How much one viewer may protect, in bytes; nil while that is not known.
  var keepLimit: UInt64?
  /// What keeps recordings from coming into the store.
  var offloadTroubles: [HealthReport.Reason] = []
  /// When the server's certificate ends; nil where that is not known.
  var certificateEnd: UnixTimestamp?
  /// Why the certificates that lie there now cannot be used; nil where they can.
  var certificateFailure: String?
  /// How often the process that reads files ended within the last hour.
  var indexerRestartsOfLastHour: UInt64 = 0
  /// For how long nothing has been heard of the disk, in seconds; 0 where it answers.
  var silentDiskSeconds: Int64 = 0
}

/// The limits by which health is judged.
enum HealthLimits {
  /// With less room than this, in bytes, nothing can be recorded for long enough to be worth it.
  static let fullBytes: UInt64 = 64 << 20
  /// Room that will be used up within this time is told of, in seconds.
  static let forecastSeconds: Int64 = 86_400
  /// A disk that has less of itself free than this is told of, as a divisor; where old recordings go by themselves, that
  /// is how it should be.
  static let lowDivisor: UInt64 = 20
  /// A camera is late after so many of its usual intervals,
  static let lateIntervals: Int64 = 3
  /// never before this time, in seconds,
  static let lateSeconds: Int64 = 600
  /// and is forgotten after this.
  static let forgottenSeconds: Int64 = 7 * 86_400
  /// So many days before its end a certificate is told of.
  static let certificateDays: Int64 = 30
  /// So many ends of the process that reads files within an hour are told of.
  static let indexerRestarts: UInt64 = 3
  /// That recordings were lost is told of for so long, in seconds.
  static let lossSeconds: Int64 = 86_400
  /// A viewer who protects so many tenths of what one may is told of.
  static let keepShareTenths: UInt64 = 9
  /// What takes longer does not answer, in seconds.
  static let stuckSeconds: Int64 = 12
  /// Refused files that are told of by name.
  static let namedRefusals = 3
  /// Cameras that are told of by name.
  static let namedCameras = 20
}
