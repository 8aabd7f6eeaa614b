/// The robots that a person has paired with, and the pins they have: a small text file.

internal import FootageBase
internal import FootageSystem

/// The robots that a person has paired with, in a small text file. All of its methods block, and any process may use
/// it.
///
/// A robot is known by its keys. When it is to get a new one, `add(next:of:)` has to be told before; from then on both
/// are the robot, and once it was met with the new one that is its present key, and the former one names what was
/// cached in its time and opens nothing any more. `RobotConnection.init(toPaired:in:as:over:cache:retrying:)` notes
/// both that and a new address by itself.
///
/// A line a robot: `HOST:PORT sha256/…`, behind it the pins of keys that are to come, and `earlier:sha256/…` for each that
/// it had before, the oldest first. A comment behind it has `also:HOST:PORT` for each other place where it may be, and
/// `name:` with its name.
public struct PairingStore: Sendable {
  /// The folder of the file; made when something is first remembered.
  public let folder: String

  /// Nothing is read or made yet.
  public init(folder: String) { self.folder = folder }

  /// The file.
  public var path: String { "\(folder)/robots" }

  /// All of them, in the order in which they were made. Blocks.
  ///
  /// - Throws: `PairingError`: `.unreadable`, `.file`. A file that is not there is an empty one.
  public func all() throws(PairingError) -> [Pairing] { try read().pairings }

  /// A robot by where it was met last; nil where nobody has paired with it. Blocks.
  ///
  /// - Throws: `PairingError`: `.unreadable`, `.file`.
  public func pairing(at address: RobotAddress) throws(PairingError) -> Pairing? {
    try all().first { $0.address == address }
  }

  /// A robot by what people call it; nil where nobody has paired with one of this name. Blocks.
  ///
  /// - Throws: `PairingError`: `.unreadable`, `.file`.
  public func pairing(named name: String) throws(PairingError) -> Pairing? {
    try all().first { $0.name == name }
  }

  /// The pins by which a robot is trusted; none where nobody has paired with it. Blocks.
  ///
  /// - Throws: `PairingError`: `.unreadable`, `.file`.
  public func pins(of address: RobotAddress) throws(PairingError) -> [PublicKeyPin] {
    try pairing(at: address)?.pins ?? []
  }

  /// Remembers a robot whose pin a person has compared with its console. One that is known by its key and was elsewhere
  /// is the same robot, which has moved. Blocks.
  ///
  /// - Returns: what that changes in robots that were known.
  /// - Throws: `PairingError`: `.pinChanged` where another robot is known at this address: what is to become of that is
  ///   a decision of its own (`add(next:of:)`, `forget(_:)`); `.unreadable`, `.file`.
  @discardableResult
  public func remember(_ pin: PublicKeyPin, of address: RobotAddress) throws(PairingError) -> [Change] {
    try change { (file) throws(PairingError) in try file.remember(pin, of: address) }
  }

  /// Adds the pin of a key that a robot is to have, before it has it. One that it had before may come again. Blocks.
  ///
  /// - Returns: whether it was not known.
  /// - Throws: `PairingError`: `.notPaired`; `.otherRobot` where it is another robot's; `.unreadable`, `.file`.
  @discardableResult
  public func add(next pin: PublicKeyPin, of address: RobotAddress) throws(PairingError) -> Bool {
    try change { (file) throws(PairingError) in try file.add(next: pin, of: address) }
  }

  /// Takes back that a robot is to have a key: nobody is trusted for that any more. Blocks.
  ///
  /// - Returns: whether it was announced; the present one is not.
  /// - Throws: `PairingError`: `.notPaired`, `.unreadable`, `.file`.
  @discardableResult
  public func forget(next pin: PublicKeyPin, of address: RobotAddress) throws(PairingError) -> Bool {
    try change { (file) throws(PairingError) in try file.forget(next: pin, of: address) }
  }

  /// Notes where a robot was met, and with which of its keys: one that was announced is the present one from now on.
  /// The key has to be proved, by a connection, not merely shown. Blocks.
  ///
  /// - Returns: what that changes; nothing where the key is no robot's, or everything is as it was.
  /// - Throws: `PairingError`: `.unreadable`, `.file`.
  @discardableResult
  public func met(_ pin: PublicKeyPin, at address: RobotAddress) throws(PairingError) -> [Change] {
    try change { file in file.met(pin, at: address) }
  }

  /// Whether a link may be paired by, before anybody is asked. Blocks.
  ///
  /// - Throws: `PairingError`: `.pinChanged` where a robot of this name, or at one of these addresses, is known by
  ///   another key, or had this one before: nothing of it is ever replaced; `.otherRobot`, `.unreadable`, `.file`.
  package func check(_ link: PairingLink) throws(PairingError) { try read().check(link) }

  /// Remembers the robot of a link, with its name, its addresses and its keys, after it has proved to have one of them:
  /// `RobotConnection.pair(with:in:as:over:)` sees to that. Blocks.
  ///
  /// - Parameters:
  ///   - link: as its console shows it.
  ///   - proven: the key that it has proved to have, one of the link's.
  ///   - address: where.
  /// - Returns: what that changes in robots that were known.
  /// - Throws: `PairingError`: `.pinChanged` where a robot of this name, or at one of these addresses, is known by
  ///   another key, or had this one before: nothing of it is ever replaced; `.otherRobot` where the next key is another
  ///   robot's, or nobody's of the link was proved; `.unreadable`, `.file`.
  @discardableResult
  public func pair(
    with link: PairingLink, proven: PublicKeyPin, at address: RobotAddress
  ) throws(PairingError) -> [Change] {
    guard link.pins.contains(proven) else { throw .otherRobot(proven, robot: address.description) }
    return try change { (file) throws(PairingError) in try file.pair(link, proven: proven, at: address) }
  }

  /// Forgets a robot, with the keys that it had. Blocks.
  ///
  /// - Returns: whether it was known.
  /// - Throws: `PairingError`: `.unreadable`, `.file`.
  @discardableResult
  public func forget(_ address: RobotAddress) throws(PairingError) -> Bool {
    try change { file in file.forget(address) }
  }

  // MARK: The file

  private static let largestByteCount: UInt64 = 1 << 20
  /// How long others may take to change the file, be they threads or processes.
  private static let patience = Duration.seconds(2)

  private func read() throws(PairingError) -> PairingFile {
    let bytes: [UInt8]
    do throws(StorageError) {
      let file = try RandomAccessFile(path: path, followingLinks: true)
      guard file.length <= Self.largestByteCount else {
        throw StorageError("read", path, .wrongKind("larger than any list of robots"))
      }
      bytes = Array(try TextFile.text(in: try file.bytes(at: 0, count: Int(file.length)), of: path))
    } catch {
      if error.reason == .system(.notFound) { return PairingFile() }
      throw .file(FileFailure(error))
    }
    return try PairingFile(bytes, path: path)
  }

  /// Changes the file, where there is something to change, whole and durably.
  private func change<Result>(
    _ body: (inout PairingFile) throws(PairingError) -> Result
  ) throws(PairingError) -> Result {
    let lock: FileLock
    do throws(StorageError) {
      try FileTree.createFolders(folder)
      lock = try FileLock.taken("\(folder)/.lock", within: Self.patience)
    } catch {
      if error.reason == .system(.wouldBlock) {
        throw .file(FileFailure(.inUse, "another process changes \(path) just now: try again"))
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
