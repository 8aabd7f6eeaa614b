/// A robot with its keys, and what became of them.
extension PairingStore {
  /// A robot, which is its keys: where it is may change.
  public struct Pairing: Hashable, Codable, Sendable, Identifiable {
    /// What people call it; nil where nobody has said so.
    public var name: String?
    /// Where it was met last.
    public var address: RobotAddress
    /// Where else it was met, or is said to be, the latest first.
    public var otherAddresses: [RobotAddress]
    /// The present pin, and behind it those that were announced: who has one of these keys is the robot. At least one.
    public var pins: [PublicKeyPin]
    /// Pins of the keys that it had before, the oldest first. Nobody is trusted for one, but what was cached or signed
    /// in their time is the robot's.
    public var earlier: [PublicKeyPin]

    /// - Parameters:
    ///   - address: where it is.
    ///   - pins: the present one first; at least one.
    ///   - earlier: the oldest first.
    ///   - name: what people call it; nil for none.
    ///   - otherAddresses: where else it may be, the likeliest first.
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

    /// Its first key, which it is known by for good, whatever becomes of its keys and addresses.
    public var id: String { everyPin.first?.description ?? address.description }

    /// Everywhere it may be, the likeliest first.
    public var addresses: [RobotAddress] { [address] + otherAddresses }

    /// All that it was ever known by, the oldest first, as `RobotConnection` takes them as its `earlierPins`: what the
    /// cache has goes by the first one for good.
    public var everyPin: [TrustPin] { (earlier + pins).map(TrustPin.publicKey) }

    /// What the cache may know it by; what is new goes by the first.
    package var cacheNames: [String] { CacheName.all(everyPin, address) }

    /// How many places are remembered, beside the last one: robots get new addresses all the time.
    static let mostOtherAddresses = PairingLink.mostAddresses - 1

    /// Whether it may be a robot's name: 1 to 128 bytes, on one line, and nothing that a terminal obeys.
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

  /// What came of meeting a robot.
  public enum Change: Hashable, Sendable, CustomStringConvertible {
    /// It has a key that was announced, which is its present one from now on.
    case promoted(RobotAddress, from: PublicKeyPin, to: PublicKeyPin)
    /// It is somewhere else than it was.
    case moved(from: RobotAddress, to: RobotAddress)
    /// It is to have this key too, from a time on that only its operator knows.
    case announced(PublicKeyPin, of: RobotAddress)

    public var description: String {
      switch self {
      case .promoted(let robot, let former, let present):
        "\(robot) has the key that was announced: its pin is \(present) from now on, and was \(former)"
      case .moved(let old, let new): "the robot that was at \(old) is at \(new) now"
      case .announced(let pin, let robot): "\(robot) is to have the key \(pin), and is known by that too from now on"
      }
    }
  }
}

/// Why a pairing is not to be relied on.
public enum PairingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The robot has another key than when it was paired: a new one, or somebody else answers.
  case pinChanged(robot: String, remembered: [PublicKeyPin], seen: PublicKeyPin)
  /// Nobody has paired with the robot at this address, nor with any that answers there.
  case notPaired(robot: String)
  /// The pin is that of another robot, which was met at this address: two robots cannot have one key.
  case otherRobot(PublicKeyPin, robot: String)
  /// A line of the file at this path makes no sense; counted from 1.
  case unreadable(String, line: Int)
  /// The file cannot be read or written, or another process changes it just now.
  case file(FileFailure)

  public var description: String {
    switch self {
    case .pinChanged(let robot, let remembered, let seen):
      """
      THE PIN OF \(robot) HAS CHANGED: it was \(remembered.map(\.description).joined(separator: " or ")), and now it is \
      \(seen). Nothing was sent. If nobody has given the robot a new key, somebody else answers in its place. If \
      somebody has, compare with the pin on its console, and add that one to the pairing
      """
    case .notPaired(let robot): "\(robot) is not paired: pair with it, or give its pin"
    case .otherRobot(let pin, let robot): "\(pin) is the pin of the robot at \(robot): two robots cannot have one key"
    case .unreadable(let path, let line):
      "\(path), line \(line): this has to be HOST:PORT and a pin (sha256/…): mend it or remove the line"
    case .file(let failure): failure.description
    }
  }
}
