package import FootageHTTP
package import FootageServing
package import FootageStore
package import FootageLibrary
internal import FootageSystem
package import FootageAPI

/// What an operator can set of a server.
package struct ServerSettings: Sendable {
  /// The folder that is served.
  package var recordings: String
  /// The folder of the catalog; nil for `.footage` among the recordings.
  package var state: String?
  package var certificates: String
  package var address: ListenAddress
  package var clientAuthentication: ClientAuthentication
  /// Whether it serves without a list of the revoked.
  package var worksWithoutRevocationList: Bool
  /// Event loops.
  package var threads: Int
  package var limits: TransportLimits
  /// What names say of camera and start.
  package var naming: RecordingNaming
  /// What people call the robot; nil for the machine's name.
  package var robotName: String?
  /// Where others on this machine may ask how it is, beside the socket of `footage status`.
  package var statusPlace: StatusPlace?
  /// Whether every request gets a line in the log.
  package var accessLog: Bool
  /// Whose web pages may list and play.
  package var allowedOrigins: [WebOrigin] = []
  /// Whether the operator has said so where no certificates are asked for; else the log warns of it.
  package var isAuthenticationChosen = false
  /// Where recordings are brought; nil for nowhere.
  package var offload: OffloadSettings?
  /// By which recordings are deleted to make room.
  package var retention = RetentionRules()
  /// How much of the disk one viewer may protect.
  package var keepShare = RetentionRules.usualKeepShare
  /// Whether every recording gets a manifest, asked for or not.
  package var makesManifests = false
  /// All options with where they are set, for commands on this machine.
  package var shown: [ServerSetting] = []

  package init(
    recordings: String, state: String?, certificates: String, address: ListenAddress,
    clientAuthentication: ClientAuthentication, worksWithoutRevocationList: Bool = false, threads: Int,
    limits: TransportLimits, naming: RecordingNaming, robotName: String? = nil,
    statusPlace: StatusPlace? = nil, accessLog: Bool = false
  ) {
    self.recordings = recordings
    self.state = state
    self.certificates = certificates
    self.address = address
    self.clientAuthentication = clientAuthentication
    self.worksWithoutRevocationList = worksWithoutRevocationList
    self.threads = threads
    self.limits = limits
    self.naming = naming
    self.robotName = robotName
    self.statusPlace = statusPlace
    self.accessLog = accessLog
  }
}
