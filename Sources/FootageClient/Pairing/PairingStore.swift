/// The robots that a person has paired with, and the pins they had then: a small text file.

internal import Storage

/// The robots that a person has paired with, in a small text file. All of its methods block, and any process may use it.
///
/// A line a robot: `HOST:PORT sha256/…`, more pins behind it for a key that is to come.
public struct PairingStore: Sendable {
  /// The folder of the file; made when something is first remembered.
  public let folder: String

  /// Nothing is read or made yet.
  public init(folder: String) { self.folder = folder }

  /// The file.
  public var path: String { "\(folder)/robots" }

  /// A robot with its pins.
  public struct Pairing: Hashable, Sendable {
    /// Where it was when it was paired.
    public var address: RobotAddress
    /// At least one.
    public var pins: [PublicKeyPin]

    /// - Parameters:
    ///   - address: where it is.
    ///   - pins: at least one.
    public init(address: RobotAddress, pins: [PublicKeyPin]) {
      self.address = address
      self.pins = pins
    }
  }

  /// All of them, in the order in which they were made. Blocks.
  ///
  /// - Throws: `PairingError`: `.unreadable`, `.file`. A file that is not there is an empty one.
  public func all() throws(PairingError) -> [Pairing] {
    let bytes: [UInt8]
    do throws(StorageError) {
      let file = try RandomAccessFile(path: path, followingLinks: true)
      guard file.length <= 1 << 20 else {
        throw StorageError("read", path, .wrongKind("larger than any list of robots"))
      }
      bytes = try file.bytes(at: 0, count: Int(file.length))
    } catch {
      if error.reason == .system(.notFound) { return [] }
      throw .file(error.description)
    }
    return try Self.parse(bytes, path: path)
  }

  /// The pins of a robot; none where nobody has paired with it. Blocks.
  public func pins(of address: RobotAddress) throws(PairingError) -> [PublicKeyPin] {
    try all().first { $0.address == address }?.pins ?? []
  }

  /// Remembers a robot that was not known. Blocks.
  ///
  /// - Throws: `PairingError`: `.pinChanged` where it is known by another pin: forgetting that is a decision of its own;
  ///   `.unreadable`, `.file`.
  public func remember(_ pin: PublicKeyPin, of address: RobotAddress) throws(PairingError) {
    try change { (pairings) throws(PairingError) in
      if let known = pairings.first(where: { $0.address == address }) {
        guard known.pins.contains(pin) else {
          throw .pinChanged(robot: address.description, remembered: known.pins, seen: pin)
        }
        return
      }
      pairings.append(Pairing(address: address, pins: [pin]))
    }
  }

  /// Forgets a robot. Blocks.
  ///
  /// - Returns: whether it was known.
  /// - Throws: `PairingError`: `.unreadable`, `.file`.
  @discardableResult
  public func forget(_ address: RobotAddress) throws(PairingError) -> Bool {
    var wasKnown = false
    try change { (pairings) throws(PairingError) in
      wasKnown = pairings.contains { $0.address == address }
      pairings.removeAll { $0.address == address }
    }
    return wasKnown
  }

  // MARK: The file

  private func change(_ body: (inout [Pairing]) throws(PairingError) -> Void) throws(PairingError) {
    let lock: FileLock
    do throws(StorageError) {
      try FileTree.createFolders(folder)
      lock = try FileLock(path: "\(folder)/.lock")
    } catch {
      if error.reason == .system(.wouldBlock) { throw .file("another process changes \(path) just now: try again") }
      throw .file(error.description)
    }
    var pairings = try all()
    let before = pairings
    try body(&pairings)
    if pairings != before {
      do throws(StorageError) { try FileTree.writeDurably(Array(Self.text(pairings).utf8), to: path) } catch {
        throw .file(error.description)
      }
    }
    withExtendedLifetime(lock) {}
  }

  static func text(_ pairings: [Pairing]) -> String {
    pairings.map { "\($0.address) \($0.pins.map(\.description).joined(separator: " "))\n" }.joined()
  }

  /// Empty lines and those that begin with `#` are left out; a line that makes no sense is not passed over, since it
  /// may be the one that matters.
  static func parse(_ bytes: [UInt8], path: String) throws(PairingError) -> [Pairing] {
    var pairings: [Pairing] = []
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let words = line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
      guard let first = words.first, first.utf8.first != UInt8(ascii: "#") else { continue }
      let pins = words.dropFirst().compactMap { PublicKeyPin($0) }
      guard let address = RobotAddress(first), !pins.isEmpty, pins.count == words.count - 1 else {
        throw .unreadable(path, line: index + 1)
      }
      pairings.append(Pairing(address: address, pins: pins))
    }
    return pairings
  }
}

/// Why a pairing is not to be relied on.
public enum PairingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The robot has another key than when it was paired: a new one, or somebody else answers.
  case pinChanged(robot: String, remembered: [PublicKeyPin], seen: PublicKeyPin)
  /// A line of the file at this path makes no sense; counted from 1.
  case unreadable(String, line: Int)
  /// The file cannot be read or written, or another process changes it just now.
  case file(String)

  public var description: String {
    switch self {
    case .pinChanged(let robot, let remembered, let seen):
      """
      THE PIN OF \(robot) HAS CHANGED: it was \(remembered.map(\.description).joined(separator: " or ")), and now it is \
      \(seen). Nothing was sent. If nobody has given the robot a new key, somebody else answers in its place. If \
      somebody has, compare with the pin on its console, and pair again
      """
    case .unreadable(let path, let line):
      "\(path), line \(line): this has to be HOST:PORT and a pin (sha256/…): mend it or remove the line"
    case .file(let reason): reason
    }
  }
}
