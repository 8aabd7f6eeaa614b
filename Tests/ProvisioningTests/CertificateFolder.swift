/// A folder that `gen-certs.sh` fills, and questions about its contents, answered by the openssl command.
import Foundation
import LinuxTestSupport
import Testing

struct CertificateFolder {
  static let scripts = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("scripts").path

  let folder: TemporaryFolder
  var location: String { path("") }

  init() throws { folder = try TemporaryFolder() }

  func path(_ name: String) -> String { folder.path(name.isEmpty ? "certs" : "certs/" + name) }

  // MARK: Running the script

  func command(_ arguments: [String], environment: [String: String] = [:], input: String? = nil) -> Command {
    Command(
      Self.scripts + "/gen-certs.sh", arguments: ["--out", location] + arguments, environment: environment,
      input: input)
  }

  func attempt(_ arguments: String..., environment: [String: String] = [:]) throws -> Command.Outcome {
    try command(arguments, environment: environment).run()
  }

  @discardableResult
  func generate(
    _ arguments: String..., environment: [String: String] = [:], sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Command.Outcome {
    let outcome = try command(arguments, environment: environment).run()
    try #require(outcome.succeeded, "\(outcome.errors)", sourceLocation: sourceLocation)
    return outcome
  }

  // MARK: Looking at the files

  func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

  func bytes(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path(name))) }

  func mode(_ name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path(name))
    return try #require(attributes[.posixPermissions] as? Int)
  }

  func names(in name: String = "") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path(name)).sorted()
  }

  /// Returns the bytes of every file below the folder, except the lock.
  func contents() throws -> [String: Data] {
    var result: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: location) where name != ".lock" {
      var isFolder: ObjCBool = false
      if FileManager.default.fileExists(atPath: path(name), isDirectory: &isFolder), !isFolder.boolValue {
        result[name] = try bytes(name)
      }
    }
    return result
  }

  func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path(name)) }

  // MARK: Asking openssl

  func openssl(_ arguments: String..., environment: [String: String] = [:]) throws -> Command.Outcome {
    try Command("openssl", arguments: arguments, environment: environment).run()
  }

  func certificateText(_ name: String = "server.pem") throws -> String {
    try openssl("x509", "-in", path(name), "-noout", "-text").output
  }

  func fingerprint(_ name: String = "server.pem") throws -> String {
    try openssl("x509", "-in", path(name), "-noout", "-fingerprint", "-sha256").output
  }

  func publicKey(ofCertificate name: String) throws -> String {
    let outcome = try openssl("x509", "-in", path(name), "-noout", "-pubkey")
    try #require(outcome.succeeded, "\(name): \(outcome.errors)")
    return outcome.output
  }

  func publicKey(ofKey name: String) throws -> String {
    let outcome = try openssl("pkey", "-in", path(name), "-pubout")
    try #require(outcome.succeeded, "\(name): \(outcome.errors)")
    return outcome.output
  }

  func pin(ofKey name: String) throws -> String {
    let pipeline = "openssl pkey -in \"$0\" -pubout -outform DER | openssl dgst -sha256 -binary | base64 -w0"
    return "sha256/" + (try Command("bash", "-c", pipeline, path(name)).run().output)
  }

  func subjectAlternativeNames(_ name: String = "server.pem") throws -> [String] {
    let lines = try openssl("x509", "-in", path(name), "-noout", "-ext", "subjectAltName").lines
    return try #require(lines.last).split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
  }

  /// Returns the validity of a certificate in seconds since 1970.
  func validity(_ name: String = "server.pem") throws -> Range<Int> {
    let lines = try openssl("x509", "-in", path(name), "-noout", "-dates", "-dateopt", "iso_8601").lines
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = TimeZone(identifier: "UTC")
    format.dateFormat = "yyyy-MM-dd HH:mm:ss'Z'"
    let dates = try lines.map { line in
      let value = try #require(line.split(separator: "=").last)
      return Int(try #require(format.date(from: String(value))).timeIntervalSince1970)
    }
    try #require(dates.count == 2)
    return dates[0]..<dates[1] + 1
  }

  func opens(_ name: String, passphrase: String) throws -> Bool {
    try openssl(
      "pkcs12", "-in", path(name), "-noout", "-passin", "env:TEST_PASSPHRASE",
      environment: ["TEST_PASSPHRASE": passphrase]
    ).succeeded
  }

  /// Returns true if the robot would accept a viewer's certificate.
  func admits(_ client: String) throws -> Bool {
    try openssl(
      "verify", "-x509_strict", "-purpose", "sslclient", "-CAfile", path("client-ca.pem"), "-crl_check", "-CRLfile",
      path("client-ca.crl"), path("clients/\(client).pem")
    ).succeeded
  }

  func revocationCount() throws -> Int {
    let text = try openssl("crl", "-in", path("client-ca.crl"), "-noout", "-text").output
    return text.components(separatedBy: "Serial Number:").count - 1
  }
}
