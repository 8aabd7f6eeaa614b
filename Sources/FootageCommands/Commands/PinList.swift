internal import FootageCore
internal import FootageBase
internal import FootageSystem
internal import FootageTLS

/// The pins on a command line.
enum PinList {
  /// The size of the largest file of pins, in bytes.
  private static let longestFile: UInt64 = 64 << 10

  /// Reads `--pin`: pins and files, separated by commas. A file has one pin per line, like `server.pin`, or a robot's
  /// certificate, like `server.pem`.
  ///
  /// - Returns: nil if the option is not given.
  static func read(_ arguments: ParsedArguments) throws(CommandFailure) -> [PublicKeyPin]? {
    guard let text = arguments["pin"] else { return nil }
    var pins: [PublicKeyPin] = []
    for part in text.utf8.split(separator: UInt8(ascii: ",")) {
      let word = String(part) ?? ""
      if let pin = PublicKeyPin(word) { pins.append(pin) } else { pins += try self.pins(inFile: word, text) }
    }
    return pins
  }

  private static func pins(inFile path: String, _ text: String) throws(CommandFailure) -> [PublicKeyPin] {
    guard FileTree.exists(path) else {
      throw .usage(
        UsageError(
          "--pin must be sha256/ and 44 characters of base64, or a file with such lines or a certificate, not "
            + "'\(text)'"))
    }
    let bytes: [UInt8]
    do throws(StorageError) { bytes = try TextFile.bytes(of: path, longest: longestFile) } catch {
      throw .failed(error.description)
    }
    if let pin = pin(ofCertificate: bytes) { return [pin] }
    var pins: [PublicKeyPin] = []
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      guard let pin = PublicKeyPin(String(decoding: line, as: UTF8.self)) else {
        throw .usage(UsageError("--pin: \(path) has a line that is not a pin (sha256/ and 44 characters of base64)"))
      }
      pins.append(pin)
    }
    guard !pins.isEmpty else { throw .usage(UsageError("--pin: there is no pin in \(path)")) }
    return pins
  }

  /// Returns the pin of the key in a certificate, PEM or DER. Of several certificates the robot's own is the first.
  ///
  /// - Returns: nil if there is none.
  private static func pin(ofCertificate bytes: [UInt8]) -> PublicKeyPin? {
    if let certificate = Certificate.der(bytes) { return certificate.publicKeyPin }
    guard bytes.first == UInt8(ascii: "-"), let all = try? Certificate.all(inPEM: bytes, what: "certificate") else {
      return nil
    }
    return all.first?.publicKeyPin
  }
}
