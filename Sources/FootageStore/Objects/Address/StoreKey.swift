internal import FootageBase
internal import FootageSystem
package import FootageAPI

/// The credentials by which a store knows its client: an access key, which is a name, and a secret. Its description
/// contains neither.
package struct StoreKey: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
  let accessKey: String
  let secret: Secret
  /// The token of temporary credentials; nil for permanent ones.
  let sessionToken: String?

  /// - Parameter sessionToken: the token of temporary credentials.
  /// - Throws: `StoreKeyError.malformed`.
  package init(accessKey: String, secret: Secret, sessionToken: String? = nil) throws(StoreKeyError) {
    guard Self.isVisible(accessKey.utf8, upTo: Self.longestName), !secret.isEmpty,
      sessionToken.map({ Self.isVisible($0.utf8, upTo: Self.longestToken) }) ?? true,
      !accessKey.utf8.contains(UInt8(ascii: "/")), !accessKey.utf8.contains(UInt8(ascii: ","))
    else { throw .malformed }
    self.accessKey = accessKey
    self.secret = secret
    self.sessionToken = sessionToken
  }

  /// Reads a file of two lines, the access key and the secret, and possibly a third, a session token. Blocks.
  ///
  /// - Returns: the key, and a sentence if more people can read the file than need to.
  package static func read(_ path: String) throws(StoreKeyError) -> (key: StoreKey, warning: String?) {
    let file: [UInt8]
    let status: FileStatus
    do throws(Errno) {
      let descriptor = try FileDescriptor.open(path, [.reading, .withoutWaiting])
      status = try descriptor.status()
      guard status.kind == .regular, status.version.size <= UInt64(largestFile) else { throw Errno.fileTooLarge }
      file = try contents(descriptor)
    } catch { throw .unreadable(path, error.description) }
    let warning =
      status.isExposed() ? "\(path) can be read by users other than its owner: chmod \(status.secretMode) it" : nil
    do throws(StoreKeyError) { return (try StoreKey(lines: file), warning) } catch { throw .malformedFile(path) }
  }

  private static func contents(_ file: borrowing FileDescriptor) throws(Errno) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: largestFile)
    var count = 0
    while count < bytes.count {
      var failure: Errno?
      // Safe because the array lends its storage for the call.
      let read = unsafe bytes.withUnsafeMutableBytes { buffer in
        do throws(Errno) {
          return unsafe try file.read(
            at: UInt64(count), into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
        } catch {
          failure = error
          return 0
        }
      }
      if let failure { throw failure }
      if read == 0 { break }
      count += read
    }
    return Array(bytes[..<count])
  }

  private init(lines file: [UInt8]) throws(StoreKeyError) {
    guard !TextBytes.isWide(file) else { throw .malformed }
    var lines = TextBytes.withoutMark(file).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    while lines.last?.allSatisfy({ $0 <= 0x20 }) == true { lines.removeLast() }
    guard (2...3).contains(lines.count) else { throw .malformed }
    let parts = lines.map(Self.trimmed)
    guard Self.isVisible(parts[1], upTo: Self.longestName) else { throw .malformed }
    try self.init(
      accessKey: String(decoding: parts[0], as: UTF8.self), secret: Secret(parts[1]),
      sessionToken: parts.count == 3 ? String(decoding: parts[2], as: UTF8.self) : nil)
  }

  private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var line = line
    while let first = line.first, first <= 0x20 { line.removeFirst() }
    while let last = line.last, last <= 0x20 { line.removeLast() }
    return line
  }

  /// Returns true for printable ASCII without blanks, which is what a field may contain.
  private static func isVisible(_ bytes: some Collection<UInt8>, upTo limit: Int) -> Bool {
    (1...limit).contains(bytes.count) && bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F }
  }

  /// The length of the longest access key or secret in bytes. The next two limits are in bytes as well.
  private static let longestName = 256
  private static let longestToken = 8192
  private static let largestFile = 16 * 1024

  package var description: String { "a store's key" }

  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The reason why there is no key for a store. It contains nothing from the key file.
package enum StoreKeyError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file at this path cannot be read. The text is the system's description of the reason.
  case unreadable(String, String)
  case malformedFile(String)
  case malformed

  package var description: String {
    switch self {
    case .unreadable(let path, let reason): "the store's key \(path) cannot be read: \(reason)"
    case .malformedFile(let path):
      "\(path) is not a valid store key: its first line must be the access key, its second the secret"
    case .malformed:
      "this is not a valid store key: use an access key without '/' and ',' and a secret, both in visible ASCII"
    }
  }
}
