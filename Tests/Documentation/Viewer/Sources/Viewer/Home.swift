import FootageClient
import Foundation

/// The folder in which the app keeps its state: `VIEWER_HOME`, or one in the user's home folder.
struct Home: Sendable {
  let folder: URL

  init() {
    if let path = ProcessInfo.processInfo.environment["VIEWER_HOME"] {
      folder = URL(filePath: path, directoryHint: .isDirectory)
    } else {
      folder = URL.homeDirectory.appending(path: ".local/share/viewer", directoryHint: .isDirectory)
    }
  }

  var cache: URL { folder.appending(path: "cache", directoryHint: .isDirectory) }

  // MARK: The quota, which the cache does not store

  private var quotaFile: URL { folder.appending(path: "quota") }

  func quota() throws -> StorageQuota {
    guard let text = try contents(of: quotaFile) else { return .gigabytes(4) }
    guard let bytes = UInt64(String(decoding: text, as: UTF8.self)) else { throw Misuse("\(quotaFile.path) is broken") }
    return .bytes(bytes)
  }

  func remember(_ quota: StorageQuota) throws { try write(Data("\(quota.bytes)".utf8), to: quotaFile) }

  // MARK: The app's own certificate

  private var identityFile: URL { folder.appending(path: "identity.p12") }
  private var passphraseFile: URL { folder.appending(path: "identity.passphrase") }

  /// - Returns: nil if the app has no identity, which suffices for robots that accept every paired app.
  func identity() throws -> IdentitySource? {
    guard let file = try contents(of: identityFile), let passphrase = try contents(of: passphraseFile) else {
      return nil
    }
    return .pkcs12(file, passphrase: String(decoding: passphrase, as: UTF8.self))
  }

  func remember(identity file: Data, passphrase: String) throws {
    try write(Data(passphrase.utf8), to: passphraseFile)
    try write(file, to: identityFile)
  }

  // MARK: Files for this user only

  private func contents(of file: URL) throws -> Data? {
    do {
      return try Data(contentsOf: file)
    } catch CocoaError.fileReadNoSuchFile {
      return nil
    }
  }

  private func write(_ data: Data, to file: URL) throws {
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
    guard FileManager.default.createFile(atPath: file.path, contents: data, attributes: attributes) else {
      throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: file.path])
    }
  }
}
