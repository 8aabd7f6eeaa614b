extension ErrorTopic {
  /// A sentence for the app's user, and advice on what they can do. `{name}` stands for an argument.
  var english: (problem: String, advice: String?) {
    switch self {
    case .address:
      (
        "“{text}” is not a valid robot address.",
        "Enter a name or an address. Add a colon and the port if it is not 8443."
      )
    case .cancelled: ("The operation was canceled.", nil)

    case .trustOtherKey:
      (
        "{host} is not the robot that this app knows. Nothing was sent to it.",
        "Compare the key {seen} with the one on the robot’s console. If they differ, another device is answering in its place."
      )
    case .trustNobody:
      (
        "No robot at {host} has been confirmed yet. Nothing was sent to it.",
        "Compare the key {seen} with the one on the robot’s console."
      )
    case .trustCopied:
      (
        "{host} shows the robot’s certificate but does not have its private key. Nothing was sent to it.",
        "Another device is answering in the robot’s place. Inform your network administrator."
      )
    case .trustDates:
      (
        "The certificate of {host} is not valid at this time. Nothing was sent to it.",
        "Check the date and time on this device and on the robot."
      )
    case .trustAuthority:
      (
        "The certificate of {host} was not issued by an authority that this app trusts. Nothing was sent to it.",
        "Ask the person who set up the robot for its key or certificate."
      )
    case .trustOtherName:
      (
        "The certificate of {host} was issued for a different name. Nothing was sent to it.",
        "Connect by the name that the robot was given."
      )
    case .trustWeak:
      (
        "The key of {host} is too weak to be trusted. Nothing was sent to it.",
        "Have a new key and a new certificate created for the robot."
      )
    case .trustUnreadable:
      (
        "{host} did not provide a certificate that can be read. Nothing was sent to it.",
        "Check the address and the port."
      )
    case .pinMalformed:
      ("This is not a robot’s key.", "The key begins with sha256/ and is shown on the robot’s console.")

    case .identityPassphrase:
      (
        "The certificate cannot be opened with this passphrase.",
        "Enter the passphrase that was used when it was exported."
      )
    case .identityIncomplete:
      (
        "The file does not contain a certificate together with its private key.",
        "Have both exported together into one file."
      )
    case .identityExpired:
      ("Your certificate expired on {date}.", "Ask the person who looks after the robot for a new one.")
    case .identityUnreadable:
      ("The certificate cannot be read.", "Choose a file that ends in .p12 or .pfx, or have it exported again.")
    case .identityTooCostly:
      (
        "Opening the certificate needs too much time or memory.",
        "Have it exported again with fewer rounds of key derivation."
      )
    case .identityNotInKeychain: ("The certificate is no longer on this device.", "Install it again.")
    case .identityKeychainLocked:
      ("The device does not give access to the certificate.", "Unlock the device and try again.")
    case .identityRefused:
      ("The robot does not accept your certificate.", "Ask the person who looks after the robot for a new one.")
    case .identityNeeded: ("The robot requires a certificate.", "Ask the person who looks after the robot for one.")

    case .pairingOtherKey:
      (
        "The key of {robot} is not the one that it had when it was paired. Nothing was sent to it.",
        "If the robot was not given a new key, another device is answering in its place. Compare the key {seen} with the one on its console."
      )
    case .pairingNone: ("{robot} is not paired.", "Pair with it first.")
    case .pairingOtherRobot:
      ("This is the key of the robot at {robot}.", "Two robots cannot have the same key. Check what you entered.")
    case .pairingUnreadable: ("The list of paired robots is damaged.", "Pair with the robot again.")
    case .linkOther: ("This is not a code for pairing with a robot.", "Scan the code on the robot’s console.")
    case .linkDamaged: ("The robot’s code is damaged.", "Scan it again from the robot’s console.")
    case .linkName: ("“{name}” is not a valid robot name.", "Choose a shorter name on one line.")

    case .localNetworkDenied:
      (
        "This app is not allowed to use the local network, where the robot is.",
        "Allow it in the system settings, under Privacy & Security > Local Network."
      )
    case .networkUnusable:
      (
        "This app cannot search for robots on this network.",
        "Enter the robot’s address, or scan the code on its console."
      )

    case .robotAway:
      ("The robot cannot be reached.", "Check that it is on, and that this device is on the same network.")
    case .robotBusy: ("The robot cannot answer right now.", "Try again in a moment.")
    case .robotNotAllowed:
      ("The robot does not allow this.", "Ask the person who looks after the robot for permission.")
    case .robotMalformed:
      (
        "The robot did not give a valid answer.",
        "Check the address. If the robot is at this address, its software may need an update."
      )
    case .robotTooOld: ("The robot’s software is too old for this.", "Have it updated.")
    case .robotUnexpected: ("The robot gave an unexpected answer ({status}).", "This app may need an update.")

    case .recordingNotFound: ("{name} was not found.", "Reload the list.")
    case .recordingNotReady: ("{name} is still being recorded.", "Try again when the recording is complete.")
    case .recordingRefused: ("{name} cannot be played.", "The robot reports: {reason}")
    case .recordingGone: ("The robot has deleted {name}.", "Reload the list.")
    case .recordingNotKept: ("The protection of {name} cannot be changed.", "The robot reports: {reason}")
    case .recordingOutOfRange: ("{name} is shorter than that.", "Choose an earlier time.")
    case .recordingReplaced: ("{name} has changed on the robot.", "Open it again.")

    case .viewNone: ("The robot cannot show this part of {name}.", "Play the recording instead.")
    case .viewNoFootage: ("Nothing was recorded at that time.", "Choose another time.")
    case .viewTooLong: ("The time range is too long.", "Choose a shorter time range.")
    case .viewOutside: ("That time is outside {name}.", "Choose a time within it.")
    case .viewFormatsDiffer:
      ("The recordings of that time cannot be joined into one clip.", "Choose a time range within one recording.")
    case .viewNotMade: ("The robot cannot provide this.", "The robot reports: {reason}")

    case .cacheInUse: ("Another app is using the recordings on this device.", "Close the other app.")
    case .cacheNotBindable:
      (
        "{name} cannot be saved on this device.",
        "Something between this device and the robot is changing the robot’s answers. Connect to the robot without a proxy."
      )
    case .cacheNothing: ("{name} is not on this device.", "Connect to its robot.")
    case .cachePart: ("Only part of {name} is on this device.", "Connect to its robot.")
    case .cacheNoRoom:
      (
        "There is not enough space to save {name} on this device.",
        "Free up space, or play it while its robot can be reached."
      )
    case .cacheDamaged: ("{name} is damaged on this device.", "Connect to its robot to download it again.")
    case .cacheRobotAway:
      (
        "Loading {name} is interrupted because the robot cannot be reached.",
        "It continues automatically when the robot can be reached again."
      )
    case .playerUnserved: ("Playback cannot be started on this device.", "Close other apps and try again.")
    case .downloadFailed: ("This recording could not be downloaded.", "Try again.")

    case .fileNoRoom: ("There is no space left on this device.", "Delete what you no longer need.")
    case .fileNoPermission: ("This app is not allowed to write there.", "Choose another folder.")
    case .fileNotFound: ("The file or its folder no longer exists.", "Choose another folder.")
    case .fileInUse: ("The file is in use.", "Try again in a moment.")
    case .fileBroken: ("The storage of this device is not working properly.", "Save what you need somewhere else.")
    case .fileNotOurs: ("That folder contains other files, which were left unchanged.", "Choose another folder.")
    case .fileOther: ("The file cannot be used.", "The system reports: {reason}")

    case .systemExhausted: ("This device is overloaded.", "Close other apps and try again.")
    case .systemOther: ("This device does not allow this.", "The system reports: {reason}")
    }
  }
}
