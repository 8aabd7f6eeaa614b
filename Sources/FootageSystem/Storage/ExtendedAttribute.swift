/// A note that travels with a file until the file is written to: an extended attribute (man 7 xattr).
///
/// A file system without extended attributes, such as FAT and many network ones, keeps no notes, so a note is never
/// guaranteed.
package enum ExtendedAttribute {
  /// The prefix of names in the namespace that any owner of a file may write to.
  static let prefix = "user.footage."
  private static let capacity = 4096

  /// Returns the state to which a note is bound. A file that was written to since, or copied without its times, has no
  /// note.
  private static func seal(_ version: FileVersion) -> String { "\(version.modifiedNanoseconds) \(version.size) " }

  /// Stores a text as a note on a file in its current state. Calls `fstat` and `fsetxattr`.
  ///
  /// - Returns: true if it was stored.
  @discardableResult
  package static func set(_ text: String, _ name: String, of file: WritableFile) -> Bool {
    guard let status = try? file.status() else { return false }
    let value = Array((seal(status.version) + text).utf8)
    guard value.count <= capacity else { return false }
    return (try? file.descriptor.setAttribute(prefix + name, to: value)) != nil
  }

  /// Returns the note on the file that is there now. Calls `openat`, `fstat` and `fgetxattr`.
  ///
  /// - Returns: nil if there is none, or the file has changed since.
  package static func text(_ name: String, at path: String) -> String? {
    guard let file = try? RandomAccessFile(path: path) else { return nil }
    guard let text = try? file.descriptor.attribute(prefix + name, limit: capacity),
      let version = try? file.status().version
    else { return nil }
    let seal = seal(version).utf8
    guard text.starts(with: seal) else { return nil }
    return String(decoding: text.dropFirst(seal.count), as: UTF8.self)
  }
}
