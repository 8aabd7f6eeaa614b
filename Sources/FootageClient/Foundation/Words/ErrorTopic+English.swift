extension ErrorTopic {
  /// A sentence for the app's user, and advice on what they can do. `{name}` stands for an argument.
  var english: (problem: String, advice: String?) {
    switch self {
    case .address:
      ("“{text}” is not a robot’s address.", "Enter a name or an address, and a port behind a colon if it is not 8443.")
    case .cancelled: ("It was cancelled.", nil)

    case .trustOtherKey:
      (
        "{host} is not the robot that this app knows. Nothing was sent to it.",
        "Compare the key {seen} with the one on the robot’s console. If they are not the same, someone else answers in its place."
      )
    case .trustNobody:
      (
        "No robot at {host} has been confirmed yet. Nothing was sent to it.",
        "Compare the key {seen} with the one on the robot’s console."
      )
    case .trustCopied:
      (
        "{host} shows the robot’s certificate but does not have its key. Nothing was sent to it.",
        "Someone answers in the robot’s place: tell whoever looks after the network."
      )
    case .trustDates:
      (
        "The certificate of {host} is outside its dates. Nothing was sent to it.",
        "Check the clocks of this device and of the robot."
      )
    case .trustAuthority:
      (
        "No authority that this app knows vouches for {host}. Nothing was sent to it.",
        "Ask whoever set up the robot for its key, or for its certificate."
      )
    case .trustOtherName:
      (
        "The certificate of {host} is for another name. Nothing was sent to it.",
        "Ask for the robot by the name that it was given."
      )
    case .trustWeak:
      (
        "The key of {host} is too weak to be trusted. Nothing was sent to it.",
        "Have the robot’s key and certificate made anew."
      )
    case .trustUnreadable:
      (
        "What answers at {host} shows no certificate that can be read. Nothing was sent to it.",
        "Check the address and the port."
      )
    case .pinMalformed: ("This is not a robot’s key.", "It begins with sha256/ and stands on the robot’s console.")

    case .identityPassphrase:
      ("The passphrase does not open the certificate.", "Enter the one that it was exported with.")
    case .identityIncomplete:
      ("The file has no certificate together with its key.", "Have the two exported together, into one file.")
    case .identityExpired: ("Your certificate expired on {date}.", "Ask whoever looks after the robot for a new one.")
    case .identityUnreadable: ("The certificate cannot be read.", "Choose a file that ends in .p12 or .pfx.")
    case .identityTooCostly:
      ("Opening the certificate would take too long.", "Have it exported again, with fewer rounds of key derivation.")
    case .identityNotInKeychain: ("The certificate is no longer on this device.", "Install it again.")
    case .identityKeychainLocked:
      ("The device does not hand out the certificate.", "Unlock the device and try again.")
    case .identityRefused:
      ("The robot does not accept your certificate.", "Ask whoever looks after the robot for a new one.")
    case .identityNeeded: ("The robot asks for a certificate.", "Ask whoever looks after the robot for one.")

    case .pairingOtherKey:
      (
        "{robot} has another key than when it was paired. Nothing was sent to it.",
        "If nobody has given it a new one, someone else answers in its place. Compare the key {seen} with the one on its console."
      )
    case .pairingNone: ("{robot} is not paired.", "Pair with it first.")
    case .pairingOtherRobot:
      ("This is the key of the robot at {robot}.", "Two robots cannot have the same key: check what you entered.")
    case .pairingUnreadable: ("The list of paired robots is damaged.", "Pair with the robot again.")
    case .linkOther: ("This is not a code for pairing with a robot.", "Scan the one on the robot’s console.")
    case .linkDamaged: ("The robot’s code is damaged.", "Scan it again, from the robot’s console.")
    case .linkName: ("“{name}” is not a name for a robot.", "Choose a shorter one, on one line.")

    case .localNetworkDenied:
      (
        "This app may not use the local network, in which the robot is.",
        "Allow it in the system’s settings, under Privacy, Local Network."
      )
    case .networkUnusable:
      ("Robots cannot be looked for on this network.", "Enter the robot’s address, or scan the code on its console.")

    case .robotAway: ("The robot cannot be reached.", "Check that it is on, and that this device is in its network.")
    case .robotBusy: ("The robot cannot answer now.", "Try again in a moment.")
    case .robotNotAllowed: ("The robot does not allow this.", "Ask whoever looks after the robot for the right to it.")
    case .robotMalformed:
      ("The robot’s answer makes no sense.", "Check the address. If it is the robot, its software may need an update.")
    case .robotTooOld: ("The robot’s software is too old for this.", "Have it updated.")
    case .robotUnexpected: ("The robot’s answer is not understood ({status}).", "This app may need an update.")

    case .recordingNotFound: ("There is no recording {name}.", "Load the list again.")
    case .recordingNotReady: ("{name} is still being recorded.", "Try again when it is complete.")
    case .recordingRefused: ("{name} cannot be played.", "The robot says: {reason}")
    case .recordingGone: ("The robot has deleted {name}.", "Load the list again.")
    case .recordingNotKept: ("{name} cannot be protected.", "The robot says: {reason}")
    case .recordingOutOfRange: ("{name} is shorter than that.", "Choose an earlier moment.")
    case .recordingReplaced: ("{name} has changed on the robot.", "Open it again.")

    case .viewNone: ("The robot cannot show this part of {name}.", "Play the recording instead.")
    case .viewNoFootage: ("Nothing was recorded at that time.", "Choose another moment.")
    case .viewTooLong: ("That is too long at once.", "Choose a shorter time.")
    case .viewOutside: ("That lies outside {name}.", "Choose a moment within it.")
    case .viewFormatsDiffer:
      ("The recordings of that time cannot be joined in one clip.", "Choose a time within one recording.")
    case .viewNotMade: ("The robot does not make this.", "It says: {reason}")

    case .cacheInUse: ("Another process uses the recordings on this device.", "Close the other one.")
    case .cacheNotBindable:
      ("{name} cannot be kept on this device.", "Something between this device and the robot changes its answers.")
    case .cacheNothing: ("{name} is not on this device.", "Connect to its robot.")
    case .cachePart: ("{name} is only in part on this device.", "Connect to its robot.")
    case .cacheNoRoom:
      ("There is no room to keep {name} on this device.", "Make room, or play it while its robot is there.")
    case .cacheDamaged: ("{name} is damaged on this device.", "Connect to its robot, and it is fetched again.")
    case .cacheRobotAway:
      ("{name} cannot go on: the robot cannot be reached.", "It goes on by itself when the robot is back.")
    case .playerUnserved: ("The player cannot be served on this device.", "Close other apps, and try again.")
    case .downloadFailed: ("This recording could not be fetched.", "Try again.")

    case .fileNoRoom: ("There is no room left on this device.", "Delete what you no longer need.")
    case .fileNoPermission: ("This app may not write there.", "Choose another folder.")
    case .fileNotFound: ("The file or its folder is gone.", "Choose another folder.")
    case .fileInUse: ("The file is in use.", "Try again in a moment.")
    case .fileBroken: ("The storage of this device does not work as it should.", "Save what you need elsewhere.")
    case .fileNotOurs: ("That folder holds other files, which stay as they are.", "Choose another folder.")
    case .fileOther: ("The file cannot be used.", "The system says: {reason}")

    case .systemExhausted: ("This device has too much to do.", "Close other apps, and try again.")
    case .systemOther: ("This device does not let the app do this.", "The system says: {reason}")
    }
  }
}
