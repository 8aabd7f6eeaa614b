package import FootageHTTP
package import FootageServing
package import FootageStore
package import FootageLibrary
internal import FootageSystem
package import FootageAPI

/// The settings of a server that an operator can choose.
package struct ServerSettings: Sendable {
  /// The folder that is served.
  package var recordings: String
  /// The folder of the catalog; nil for `.footage` in the recordings folder.
  package var state: String?
  package var certificates: String
  package var address: ListenAddress
  package var clientAuthentication: ClientAuthentication
  /// True if the server works without a revocation list.
  package var worksWithoutRevocationList: Bool
  /// The number of event loops.
  package var threads: Int
  package var limits: TransportLimits
  /// The rules that read the camera and the start of a recording from its name.
  package var naming: RecordingNaming
  /// The name that people use for the robot; nil for the machine's name.
  package var robotName: String?
  /// The socket or address at which other programs on this machine may ask for the server's status, in addition to the
  /// socket of `footage status`.
  package var statusPlace: StatusPlace?
  /// True if every request gets a line in the log.
  package var accessLog: Bool
  /// The origins of the web pages that may list and play recordings.
  package var allowedOrigins: [WebOrigin] = []
  /// True if the operator has chosen explicitly whether clients must show certificates. Otherwise the log warns if
  /// clients need not show them.
  package var isAuthenticationChosen = false
  /// The store to which recordings are copied; nil for none.
  package var offload: OffloadSettings?
  /// The rules by which recordings are deleted to make room.
  package var retention = RetentionRules()
  /// The share of the disk that one viewer may protect.
  package var keepShare = RetentionRules.usualKeepShare
  /// True if every recording gets a manifest, whether or not a client asks for it.
  package var makesManifests = false
  /// All options with the places where they are set, for commands on this machine.
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
