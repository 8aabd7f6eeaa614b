/// The robots that a person has paired with, and their pins, in a small text file.

internal import FootageBase
internal import FootageSystem

/// The robots that a person has paired with, in a small text file. All of its methods block. Several processes may use
/// it at the same time.
///
/// A robot is known by its keys. Before it gets a new one, `add(next:of:)` has to be called; from then on, both keys
/// identify the robot. Once the robot has been met with the new key, that is its present key. The former key still
/// identifies recordings that were cached under it, but no connection is trusted for it any more.
/// `RobotConnection.init(toPaired:in:as:over:cache:retrying:)` records the change of keys, and a new address, by
/// itself.
///
/// Each robot has a line: `HOST:PORT sha256/…`, followed by the pins of future keys, and `earlier:sha256/…` for each
/// former key, the oldest first. A comment after the line has `also:HOST:PORT` for each other place where the robot may
/// be, and `name:` with its name.
public struct PairingStore: Sendable {
  /// The folder of the file. It is created when a robot is first remembered.
  public let folder: String

  /// Creates a store. Nothing is read or created in the file system yet.
  public init(folder: String) { self.folder = folder }

  /// The path of the file.
  public var path: String { "\(folder)/robots" }

  /// Returns all pairings, in the order in which they were added. Blocks.
  ///
  /// - Throws: `PairingError`: `.unreadable`, `.file`. A missing file counts as empty.
  public func all() throws(PairingError) -> [Pairing] { try read().pairings }

  /// Returns the robot that was last met at an address; nil if none is paired there. Blocks.
  ///
  /// - Throws: `PairingError`: `.unreadable`, `.file`.
  public func pairing(at address: RobotAddress) throws(PairingError) -> Pairing? {
    try all().first { $0.address == address }
  }

  /// Returns the robot of a name; nil if no paired robot has it. Blocks.
  ///
  /// - Throws: `PairingError`: `.unreadable`, `.file`.
  public func pairing(named name: String) throws(PairingError) -> Pairing? {
    try all().first { $0.name == name }
  }

  /// Returns the pins by which a robot is trusted; none if it is not paired. Blocks.
  ///
  /// - Throws: `PairingError`: `.unreadable`, `.file`.
  public func pins(of address: RobotAddress) throws(PairingError) -> [PublicKeyPin] {
    try pairing(at: address)?.pins ?? []
  }

  /// Remembers a robot whose pin a person has compared with its console. If its key is known from a different address,
  /// it is the same robot, which has moved. Blocks.
  ///
  /// - Returns: the changes of robots that were already known.
  /// - Throws: `PairingError`: `.pinChanged` if another robot is known at this address, which must be resolved
  ///   separately (`add(next:of:)`, `forget(_:)`); `.unreadable`, `.file`.
  @discardableResult
  public func remember(_ pin: PublicKeyPin, of address: RobotAddress) throws(PairingError) -> [Change] {
    try change { (file) throws(PairingError) in try file.remember(pin, of: address) }
  }

  /// Adds the pin of a key before a robot gets that key. It may also be a former key of the robot. Blocks.
  ///
  /// - Returns: whether the pin is new.
  /// - Throws: `PairingError`: `.notPaired`; `.otherRobot` if the key belongs to another robot; `.unreadable`, `.file`.
  @discardableResult
  public func add(next pin: PublicKeyPin, of address: RobotAddress) throws(PairingError) -> Bool {
    try change { (file) throws(PairingError) in try file.add(next: pin, of: address) }
  }

  /// Withdraws an announced key of a robot: no peer is trusted for it any more. Blocks.
  ///
  /// - Returns: whether the key was announced; the present key does not count.
  /// - Throws: `PairingError`: `.notPaired`, `.unreadable`, `.file`.
  @discardableResult
  public func forget(next pin: PublicKeyPin, of address: RobotAddress) throws(PairingError) -> Bool {
    try change { (file) throws(PairingError) in try file.forget(next: pin, of: address) }
  }

  /// Records where a robot was reached, and with which of its keys; an announced key is the present one from now on.
  /// The key must be proved by a connection, not merely shown. Blocks.
  ///
  /// - Returns: the resulting changes; none if the key belongs to no robot, or nothing has changed.
  /// - Throws: `PairingError`: `.unreadable`, `.file`.
  @discardableResult
  public func met(_ pin: PublicKeyPin, at address: RobotAddress) throws(PairingError) -> [Change] {
    try change { file in file.met(pin, at: address) }
  }

  /// Checks that a link may be used to pair, before any peer is contacted. Blocks.
  ///
  /// - Throws: `PairingError`: `.pinChanged` if a robot of this name, or at one of these addresses, is known by a
  ///   different key, or if a robot had this key before, because a link never replaces a known key; `.otherRobot`,
  ///   `.unreadable`, `.file`.
  package func check(_ link: PairingLink) throws(PairingError) { try read().check(link) }

  /// Remembers the robot of a link, with its name, its addresses and its keys, after it has proved one of the keys.
  /// `RobotConnection.pair(with:in:as:over:)` ensures that. Blocks.
  ///
  /// - Parameters:
  ///   - link: as the robot's console shows it.
  ///   - proven: the key that the robot has proved, one of the link's.
  ///   - address: the address at which it has proved that key.
  /// - Returns: the changes of robots that were already known.
  /// - Throws: `PairingError`: `.pinChanged` if a robot of this name, or at one of these addresses, is known by a
  ///   different key, or if a robot had this key before, because a link never replaces a known key; `.otherRobot` if
  ///   the next key belongs to another robot, or if `proven` is not one of the link's keys; `.unreadable`, `.file`.
  @discardableResult
  public func pair(
    with link: PairingLink, proven: PublicKeyPin, at address: RobotAddress
  ) throws(PairingError) -> [Change] {
    guard link.pins.contains(proven) else { throw .otherRobot(proven, robot: address.description) }
    return try change { (file) throws(PairingError) in try file.pair(link, proven: proven, at: address) }
  }

  /// Forgets a robot, with the keys that it had. Blocks.
  ///
  /// - Returns: whether the robot was known.
  /// - Throws: `PairingError`: `.unreadable`, `.file`.
  @discardableResult
  public func forget(_ address: RobotAddress) throws(PairingError) -> Bool {
    try change { file in file.forget(address) }
  }

  // MARK: The file

  private static let largestByteCount: UInt64 = 1 << 20
  /// The time that other threads or processes may take to change the file.
  private static let patience = Duration.seconds(2)

  private func read() throws(PairingError) -> PairingFile {
    let bytes: [UInt8]
    do throws(StorageError) {
      let file = try RandomAccessFile(path: path, followingLinks: true)
      guard file.length <= Self.largestByteCount else {
        throw StorageError("read", path, .wrongKind("too large for a list of robots"))
      }
      bytes = Array(try TextFile.text(in: try file.bytes(at: 0, count: Int(file.length)), of: path))
    } catch {
      if error.reason == .system(.notFound) { return PairingFile() }
      throw .file(FileFailure(error))
    }
    return try PairingFile(bytes, path: path)
  }

  /// Changes the file, if anything is to be changed, as a whole and durably.
  private func change<Result>(
    _ body: (inout PairingFile) throws(PairingError) -> Result
  ) throws(PairingError) -> Result {
    let lock: FileLock
    do throws(StorageError) {
      try FileTree.createFolders(folder)
      lock = try FileLock.taken("\(folder)/.lock", within: Self.patience)
    } catch {
      if error.reason == .system(.wouldBlock) {
        throw .file(FileFailure(.inUse, "another process is changing \(path): try again"))
      }
      throw .file(FileFailure(error))
    }
    defer { withExtendedLifetime(lock) {} }
    var file = try read()
    let before = file
    let result = try body(&file)
    if file != before {
      do throws(StorageError) { try FileTree.writeDurably(file.bytes, to: path) } catch {
        throw .file(FileFailure(error))
      }
    }
    return result
  }
}
