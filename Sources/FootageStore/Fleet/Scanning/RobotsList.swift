internal import FootageBase
internal import FootageSystem

/// The file that lists the robots. It is read again when it has changed. All methods block.
package struct RobotsList: Sendable {
  package let path: String
  private var version: FileVersion?

  package init(path: String) { self.path = path }

  /// - Returns: nil if the file has not changed since it was read.
  /// - Throws: `FleetError.robots`, on each call while the file cannot be used.
  package mutating func read() throws(FleetError) -> [FleetRobot]? {
    let bytes: [UInt8]
    let found: FileVersion
    do throws(StorageError) {
      let file = try RandomAccessFile(path: path, followingLinks: true)
      found = file.openingStatus.version
      guard found != version else { return nil }
      guard file.length <= UInt64(RobotsFile.longestText) else {
        throw StorageError("read", path, .wrongKind("too large for a list of robots"))
      }
      bytes = try file.bytes(at: 0, count: Int(file.length))
    } catch { throw .robots(path: path, error.description) }
    do throws(RobotsFault) {
      let robots = try RobotsFile.robots(in: bytes)
      version = found
      return robots
    } catch { throw .robots(path: path, error.description) }
  }
}
