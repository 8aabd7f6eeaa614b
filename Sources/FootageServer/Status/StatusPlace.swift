package import FootageServing
internal import FootageSystem

/// The place where a server serves its status to other programs on its machine: a socket's path, or a loopback address.
package enum StatusPlace: Hashable, Sendable {
  case path(String)
  case address(ListenAddress)

  /// The reason why a place is invalid.
  package struct Unfit: Error, CustomStringConvertible {
    package let description: String
  }

  /// Creates a place from its usual notation. Text with a slash is a path.
  package init(_ text: String) throws(Unfit) {
    guard !text.utf8.contains(UInt8(ascii: "/")) else {
      guard text.utf8.count <= LocalSocket.longestPath else {
        throw Unfit(
          description: "the path may have at most \(LocalSocket.longestPath) bytes, but has \(text.utf8.count)")
      }
      self = .path(text)
      return
    }
    let address: ListenAddress
    do throws(NetworkingError) { address = try ListenAddress(text) } catch {
      throw Unfit(description: error.description)
    }
    guard address.isLoopback else {
      throw Unfit(
        description:
          "'\(text)' is not an address of this machine alone, like 127.0.0.1:9464 or localhost:9464, or a socket's "
          + "path, like /run/footage/metrics: clients there show no certificate")
    }
    self = .address(address)
  }

  package var words: String {
    switch self {
    case .path(let path): path
    case .address(let address): "http://\(address.host ?? "localhost"):\(address.port)/"
    }
  }

  /// The addresses or the path to connect to.
  var exchangePlaces: [LocalExchange.Place] {
    switch self {
    case .path(let path): [.path(path)]
    case .address(let address): address.loopbackAddresses.map { .address($0) }
    }
  }
}

/// The socket that `footage status` uses by default.
package enum StatusSocket {
  /// The folder that the package creates for the group whose members may ask for the status.
  private static let statusFolder = "/run/footage-status"
  /// The folder from `RuntimeDirectory=` of the package's unit, in which earlier versions had the socket.
  private static let serviceFolder = "/run/footage"

  /// Returns the place where a server puts its socket; nil if it has no folder for that.
  ///
  /// - Parameters:
  ///   - variable: looks up a variable of the environment.
  ///   - isOwn: returns true if a folder exists and belongs to this server's user.
  package static func ofServer(
    _ variable: (String) -> String? = Process.variable, isOwn: (String) -> Bool = StatusSocket.isOwnFolder
  ) -> (folder: String, path: String)? {
    // A unit may have several folders, separated by colons.
    guard var folder = first(variable("RUNTIME_DIRECTORY")) else { return ofUser(variable) }
    if folder == serviceFolder, isOwn(statusFolder) { folder = statusFolder }
    return (folder, "\(folder)/status")
  }

  package static func isOwnFolder(_ path: String) -> Bool {
    guard let status = try? FileStatus.of(name: path, followingLinks: false) else { return false }
    return status.kind == .folder && status.owner == Process.user
  }

  /// Returns the places where a server may have put its socket, the likeliest first.
  package static func places(_ variable: (String) -> String? = Process.variable) -> [StatusPlace] {
    var folders = [first(variable("RUNTIME_DIRECTORY")), statusFolder, serviceFolder].compactMap(\.self)
    if let user = ofUser(variable) { folders.append(user.folder) }
    return folders.enumerated().filter { folders.firstIndex(of: $0.element) == $0.offset }.map {
      .path("\($0.element)/status")
    }
  }

  private static func ofUser(_ variable: (String) -> String?) -> (folder: String, path: String)? {
    first(variable("XDG_RUNTIME_DIR")).map { ("\($0)/footage", "\($0)/footage/status") }
  }

  private static func first(_ folders: String?) -> String? {
    folders?.utf8.split(separator: UInt8(ascii: ":")).first.map { String(Substring($0)) }
  }
}
