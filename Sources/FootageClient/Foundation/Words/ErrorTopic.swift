/// The kinds of errors that have words of their own. The raw value is the key for translators.
enum ErrorTopic: String, CaseIterable, Sendable {
  case address
  case cancelled

  case trustOtherKey = "trust.other-key"
  case trustNobody = "trust.nobody"
  case trustCopied = "trust.copied"
  case trustDates = "trust.dates"
  case trustAuthority = "trust.authority"
  case trustOtherName = "trust.other-name"
  case trustWeak = "trust.weak"
  case trustUnreadable = "trust.unreadable"
  case pinMalformed = "pin.malformed"

  case identityPassphrase = "identity.passphrase"
  case identityIncomplete = "identity.incomplete"
  case identityExpired = "identity.expired"
  case identityUnreadable = "identity.unreadable"
  case identityTooCostly = "identity.too-costly"
  case identityNotInKeychain = "identity.not-in-keychain"
  case identityKeychainLocked = "identity.keychain-locked"
  case identityRefused = "identity.refused"
  case identityNeeded = "identity.needed"

  case pairingOtherKey = "pairing.other-key"
  case pairingNone = "pairing.none"
  case pairingOtherRobot = "pairing.other-robot"
  case pairingUnreadable = "pairing.unreadable"
  case linkOther = "link.other"
  case linkDamaged = "link.damaged"
  case linkName = "link.name"

  case localNetworkDenied = "network.denied"
  case networkUnusable = "network.unusable"

  case robotAway = "robot.away"
  case robotBusy = "robot.busy"
  case robotNotAllowed = "robot.not-allowed"
  case robotMalformed = "robot.malformed"
  case robotTooOld = "robot.too-old"
  case robotUnexpected = "robot.unexpected"

  case recordingNotFound = "recording.not-found"
  case recordingNotReady = "recording.not-ready"
  case recordingRefused = "recording.refused"
  case recordingGone = "recording.gone"
  case recordingNotKept = "recording.not-kept"
  case recordingOutOfRange = "recording.out-of-range"
  case recordingReplaced = "recording.replaced"

  case viewNone = "view.none"
  case viewNoFootage = "view.no-footage"
  case viewTooLong = "view.too-long"
  case viewOutside = "view.outside"
  case viewFormatsDiffer = "view.formats-differ"
  case viewNotMade = "view.not-made"

  case cacheInUse = "cache.in-use"
  case cacheNotBindable = "cache.not-bindable"
  case cacheNothing = "cache.nothing"
  case cachePart = "cache.part"
  case cacheNoRoom = "cache.no-room"
  case cacheDamaged = "cache.damaged"
  case cacheRobotAway = "cache.robot-away"
  case playerUnserved = "player.unserved"
  case downloadFailed = "download.failed"

  case fileNoRoom = "file.no-room"
  case fileNoPermission = "file.no-permission"
  case fileNotFound = "file.not-found"
  case fileInUse = "file.in-use"
  case fileBroken = "file.broken"
  case fileNotOurs = "file.not-ours"
  case fileOther = "file.other"

  case systemExhausted = "system.exhausted"
  case systemOther = "system.other"
}
