internal import FootageBase
internal import FootageSystem
internal import Synchronization
internal import FootageAPI

/// The present and former keys of this robot. An object that is signed by one of them is from this robot.
final class SigningKeys: Sendable {
  /// The name of a file beside `server.pin`, with a line for each key that the robot had before.
  static let name = "earlier.pin"
  /// The size of the largest list of pins that is read, in bytes.
  private static let longest: UInt64 = 64 << 10

  private let folder: String
  private let known: Mutex<[PublicKeyPin]>

  /// - Parameters:
  ///   - folder: the folder of the certificates.
  ///   - present: the pin of the present key; nil if the key cannot be read.
  init(folder: String, present: PublicKeyPin?) {
    self.folder = folder
    known = Mutex(present.map { [$0] } ?? [])
  }

  /// Adds the key that the server uses from now on.
  func note(_ pin: PublicKeyPin?) {
    guard let pin else { return }
    known.withLock { if !$0.contains(pin) { $0.append(pin) } }
  }

  /// All keys. The getter reads a small file.
  var all: [PublicKeyPin] {
    var pins = known.withLock { $0 }
    guard let file = try? RandomAccessFile(path: "\(folder)/\(Self.name)"), file.length <= Self.longest,
      let bytes = try? file.bytes(at: 0, count: Int(file.length))
    else { return pins }
    for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
      if let pin = PublicKeyPin(String(line)), !pins.contains(pin) { pins.append(pin) }
    }
    return pins
  }
}
