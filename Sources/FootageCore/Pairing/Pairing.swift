/// A robot with its keys, and the changes of its keys and addresses.
extension PairingStore {
  /// A paired robot. It is identified by its keys, since its address may change.
  public struct Pairing: Hashable, Codable, Sendable, Identifiable {
    /// The name that people gave it; nil if it has none.
    public var name: String?
    /// The address where the robot was last reached.
    public var address: RobotAddress
    /// Other addresses where the robot was reached, or that its pairing link states; the latest first.
    public var otherAddresses: [RobotAddress]
    /// The present pin, followed by the announced ones; at least one. A peer that has one of these keys is the robot.
    public var pins: [PublicKeyPin]
    /// The pins of its former keys, the oldest first. No peer is trusted for one of them, but recordings that were
    /// cached or signed with them belong to the robot.
    public var earlier: [PublicKeyPin]

    /// - Parameters:
    ///   - address: its address.
    ///   - pins: the present one first; at least one.
    ///   - earlier: the oldest first.
    ///   - name: the name that people gave it; nil for none.
    ///   - otherAddresses: other places where it may be, the likeliest first.
    public init(
      address: RobotAddress, pins: [PublicKeyPin], earlier: [PublicKeyPin] = [], name: String? = nil,
      otherAddresses: [RobotAddress] = []
    ) {
      self.name = name
      self.address = address
      self.otherAddresses = otherAddresses
      self.pins = pins
      self.earlier = earlier
    }

    /// Its first key, which identifies it permanently, whatever happens to its keys and addresses.
    public var id: String { everyPin.first?.description ?? address.description }

    /// All addresses where it may be, the likeliest first.
    public var addresses: [RobotAddress] { [address] + otherAddresses }

    /// All pins that the robot has ever had, the oldest first, in the form of the `earlierPins` of a `RobotConnection`.
    /// The cache always uses the first one for new recordings.
    public var everyPin: [TrustPin] { (earlier + pins).map(TrustPin.publicKey) }

    /// The names by which the cache may know the robot. New recordings are stored under the first one.
    package var cacheNames: [String] { CacheName.all(everyPin, address) }

    /// The largest number of addresses that are remembered in addition to the latest one. Robots get new addresses
    /// often.
    static let mostOtherAddresses = PairingLink.mostAddresses - 1

    /// Returns whether a text is a valid name for a robot: 1 to 128 bytes on one line, not only blanks, and nothing
    /// that a terminal executes as a command.
    package static func isName(_ text: String) -> Bool {
      (1...PairingLink.longestName).contains(text.utf8.count)
        && text.unicodeScalars.allSatisfy { scalar in
          switch scalar.properties.generalCategory {
          case .control, .lineSeparator, .paragraphSeparator: false
          default: true
          }
        } && text.unicodeScalars.contains { !$0.properties.isWhitespace }
    }
  }

  /// A change that results from meeting or pairing with a robot.
  public enum Change: Hashable, Sendable, CustomStringConvertible {
    /// The robot has a key that was announced, which is its present key from now on.
    case promoted(RobotAddress, from: PublicKeyPin, to: PublicKeyPin)
    /// The robot is at a different address than before.
    case moved(from: RobotAddress, to: RobotAddress)
    /// The robot will have this key, from a time on that only its operator knows.
    case announced(PublicKeyPin, of: RobotAddress)

    public var description: String {
      switch self {
      case .promoted(let robot, let former, let present):
        "\(robot) now has the key that was announced: its pin is \(present), and was \(former)"
      case .moved(let old, let new): "the robot that was at \(old) is now at \(new)"
      case .announced(let pin, let robot): "\(robot) announces its next key, \(pin), which is accepted too from now on"
      }
    }
  }
}

/// The reason why a pairing cannot be relied on.
public enum PairingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The robot has a different key than when it was paired: it got a new one, or another machine answers.
  case pinChanged(robot: String, remembered: [PublicKeyPin], seen: PublicKeyPin)
  /// The robot with this name or address is not paired.
  case notPaired(robot: String)
  /// The pin belongs to another robot, which was met at this address: two robots cannot have the same key.
  case otherRobot(PublicKeyPin, robot: String)
  /// A line of the file at this path is invalid; lines are counted from 1.
  case unreadable(String, line: Int)
  /// The file cannot be read or written, or another process is changing it just now.
  case file(FileFailure)

  public var description: String {
    switch self {
    case .pinChanged(let robot, let remembered, let seen):
      """
      THE PIN OF \(robot) HAS CHANGED: it was \(remembered.map(\.description).joined(separator: " or ")), and now it is \
      \(seen). Nothing was sent. If the robot was not given a new key, another machine answers in its place. If it was, \
      compare the pin with the one on its console, and add that pin to the pairing
      """
    case .notPaired(let robot): "\(robot) is not paired: pair with it, or give its pin"
    case .otherRobot(let pin, let robot):
      "\(pin) is the pin of the robot at \(robot): two robots cannot have the same key"
    case .unreadable(let path, let line):
      "\(path), line \(line): expected HOST:PORT and a pin (sha256/…): correct or remove the line"
    case .file(let failure): failure.description
    }
  }
}
