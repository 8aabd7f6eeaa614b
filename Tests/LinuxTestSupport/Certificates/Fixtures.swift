import Foundation
import Testing

/// The recordings and the certificates of the robot and its viewers that the tests use. They are made once per run.
package enum Fixtures {
  package static let passphrase = "correct horse"

  package static let scripts = Checkout.path("scripts")

  // MARK: Certificates

  private static let certificates: Result<String, any Error> = Result {
    try SharedFiles.path("certs") { path in
      try provision("--out", path, "--name", "localhost", "--ip", "127.0.0.1", "--ip", "::1")
      try provision("--out", path, "--client", "alice", "--client", "bob", "--client", "mallory")
      try provision("--out", path, "--revoke", "mallory")
      for client in ["alice", "bob", "mallory"] { try unpack(client, in: path) }
    }
  }

  private static let otherCertificates: Result<String, any Error> = Result {
    try SharedFiles.path("others") { path in
      try provision("--out", path, "--name", "localhost", "--ip", "127.0.0.1")
      try provision("--out", path, "--client", "stranger")
      try unpack("stranger", in: path)
    }
  }

  /// Returns a robot's folder with the clients alice, bob and mallory; mallory is revoked. Tests must not change it:
  /// see `copyCertificates`.
  package static func certs() throws -> String { try certificates.get() }

  /// Returns another robot's folder, with the client stranger.
  package static func otherCerts() throws -> String { try otherCertificates.get() }

  package static func copyCertificates(to path: String) throws {
    try FileManager.default.copyItem(atPath: try certs(), toPath: path)
  }

  /// Returns a copy of the certificates for a test that changes them, in `certs` of a new folder.
  package static func copiedCertificates() throws -> (folder: TemporaryFolder, certs: String) {
    let folder = try TemporaryFolder()
    try copyCertificates(to: folder.path("certs"))
    return (folder, folder.path("certs"))
  }

  package static func provision(_ arguments: String..., environment: [String: String] = [:]) throws {
    let environment = ["FOOTAGE_P12_PASSPHRASE": passphrase].merging(environment) { _, given in given }
    let outcome = try Command(scripts + "/gen-certs.sh", arguments: arguments, environment: environment).run()
    try #require(outcome.succeeded, "\(outcome.errors)")
  }

  /// Writes a client's key and certificate into one PEM file, for the tools that do not read PKCS#12.
  private static func unpack(_ client: String, in path: String) throws {
    let outcome = try Command(
      "openssl", "pkcs12", "-in", path + "/clients/\(client).p12", "-noenc", "-passin", "env:PASSPHRASE", "-out",
      path + "/clients/\(client)-both.pem", environment: ["PASSPHRASE": passphrase]
    ).run()
    try #require(outcome.succeeded, "\(outcome.errors)")
  }

  // MARK: Recordings

  private static let clipFile: Result<String, any Error> = Result {
    try SharedFiles.path("clip.mp4") { try record(seconds: 8, to: $0) }
  }

  /// Returns the path of eight seconds of H.264 and AAC with B-frames, a key frame per second, and `moov` last.
  package static func clip() throws -> String { try clipFile.get() }

  package static func record(seconds: Int, to path: String, _ options: String...) throws {
    try record(seconds: seconds, to: path, options)
  }

  package static func record(seconds: Int, to path: String, _ options: [String]) throws {
    let outcome = try Command(
      "ffmpeg",
      arguments: [
        "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=320x240:r=25", "-f", "lavfi", "-i",
        "sine=f=440:r=48000", "-t", "\(seconds)", "-c:v", "libx264", "-preset", "veryfast", "-bf", "2", "-g", "25",
        "-pix_fmt", "yuv420p", "-c:a", "aac",
      ] + options + [path]
    ).run()
    try #require(outcome.succeeded, "\(outcome.errors)")
  }

  /// Writes six seconds with three video tracks and AAC: HEVC of one picture a second, and two of H.264 with 25.
  package static func recordTracks(to path: String, _ options: [String] = []) throws {
    let sizes = ["64x48:r=1", "320x240:r=25", "160x120:r=25"]
    let outcome = try Command(
      "ffmpeg",
      arguments: ["-nostdin", "-v", "error", "-y"] + sizes.flatMap { ["-f", "lavfi", "-i", "testsrc2=s=\($0)"] } + [
        "-f", "lavfi", "-i", "sine=f=440:r=48000", "-map", "0", "-map", "1", "-map", "2", "-map", "3", "-t", "6",
        "-c:v:0", "libx265", "-x265-params", "log-level=error", "-tag:v:0", "hvc1", "-c:v:1", "libx264", "-c:v:2",
        "libx264", "-g", "25", "-pix_fmt", "yuv420p", "-c:a", "aac",
      ] + options + ["-f", "mp4", path]
    ).run()
    try #require(outcome.succeeded, "\(outcome.errors)")
  }

  /// Writes a playable recording that is larger than all buffers between two processes: the clip and a `free` box
  /// (ISO/IEC 14496-12 §8.1.2) with the given length, filled with the given byte.
  package static func writeLargeRecording(
    to path: String, filler: UInt8 = 0x5A, byteCount length: UInt32 = 24 << 20
  ) throws {
    var bytes = try Data(contentsOf: URL(fileURLWithPath: try clip()))
    bytes.append(contentsOf: (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) })
    bytes.append(contentsOf: "free".utf8)
    bytes.append(Data(repeating: filler, count: Int(length) - 8))
    try bytes.write(to: URL(fileURLWithPath: path))
  }
}
