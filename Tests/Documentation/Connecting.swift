/// The code of "From an empty app to a playing video": trust, the connection and the cache.

import FootageClient
import Foundation

/// - Parameter isOnConsole: asks a person if the robot's console shows exactly this pin.
/// - Returns: true if the robot is now paired.
func pair(
  with address: RobotAddress, in pairings: PairingStore, isOnConsole: @MainActor (PublicKeyPin) async -> Bool
) async throws -> Bool {
  let shown = try await RobotConnection.shownPin(at: address.description)
  guard await isOnConsole(shown) else { return false }
  try pairings.remember(shown, of: address)
  return true
}

/// - Parameter code: the link as the camera has read it from the robot's console, or as a person has sent it.
func pair(scanned code: String, in pairings: PairingStore, cache: MediaCache) async throws -> RobotConnection {
  let link = try PairingLink(code)
  return try await RobotConnection(scanned: link, in: pairings, cache: cache)
}

@MainActor
func showRobots(_ pairings: PairingStore, in list: RobotList) async throws {
  list.paired = try await Task.detached { try pairings.all() }.value
  for try await event in RobotDiscovery(pairings: pairings) {
    switch event {
    case .found(let robot), .changed(let robot): list.nearby[robot.id] = robot
    case .lost(let robot): list.nearby[robot.id] = nil
    }
  }
}

func connect(
  to robot: PairingStore.Pairing, in pairings: PairingStore, nearby: [RobotDiscovery.Robot], cache: MediaCache
) async throws -> RobotConnection {
  let places = nearby.filter { $0.pairing?.id == robot.id }.flatMap(\.addresses)
  return try await RobotConnection(toRobot: robot, in: pairings, at: places, cache: cache)
}

func connect(toPaired address: String, in pairings: PairingStore, cache: MediaCache) async throws -> RobotConnection {
  try await RobotConnection(toPaired: address, in: pairings, cache: cache)
}

/// - Parameter announced: the next pin as the robot's operator has sent it, `sha256/…`.
func announce(_ announced: String, of address: RobotAddress, in pairings: PairingStore) throws {
  guard case .publicKey(let pin) = try TrustPin.spki(announced) else { return }
  try pairings.add(next: pin, of: address)
}

func connect(to address: String, pin: String, cache: MediaCache) throws -> RobotConnection {
  try RobotConnection(to: address, trusting: .pinned([.spki(pin)]), cache: cache)
}

/// - Parameter earlierPins: the pins that the robot had before, oldest first.
func connect(
  to address: String, pin: String, nextPin: String, earlierPins: [String], cache: MediaCache
) throws -> RobotConnection {
  try RobotConnection(
    to: address, trusting: .pinned([.spki(pin), .spki(nextPin)]), earlierPins: earlierPins.map(TrustPin.spki),
    cache: cache)
}

func connect(
  to address: String, trusting policy: TrustPolicy, as p12: URL, passphrase: String, cache: MediaCache
) async throws -> RobotConnection {
  let identity = IdentitySource.pkcs12(try Data(contentsOf: p12), passphrase: passphrase)
  return try await RobotConnection(to: address, trusting: policy, as: identity, cache: cache)
}

/// - Parameter identity: nil if the robot accepts every paired app.
func connect(
  toPaired address: String, as identity: IdentitySource?, in pairings: PairingStore, cache: MediaCache
) async throws -> RobotConnection {
  try await RobotConnection(toPaired: address, in: pairings, as: identity, cache: cache)
}

/// Prints the robot's events until the task is canceled.
func log(_ robot: RobotConnection) async {
  for await event in robot.events() { print(event) }
}

@concurrent
func openCache(in folder: URL) async throws -> MediaCache {
  try MediaCache(at: folder, quota: .gigabytes(4))
}

func recordings(
  of robot: RobotConnection, camera: String, since date: Date
) async throws -> [RobotRecording] {
  var found: [RobotRecording] = []
  for try await recording in robot.recordings(camera: camera, since: date, state: .ready) {
    found.append(recording)
    if found.count == 100 { break }
  }
  return found
}

/// The robots that a screen shows.
@MainActor
final class RobotList {
  var paired: [PairingStore.Pairing] = []
  var nearby: [String: RobotDiscovery.Robot] = [:]
}
