internal import FootageSystem

/// A browser that asks this machine's own Avahi over the system bus. Avahi listens all the time. It receives
/// announcements even if a firewall blocks the answers to questions of this process.
package struct AvahiBrowser: RobotBrowser {
  private let path: String?

  /// Creates a browser for the bus's socket, at the path that the environment names, or at its well-known path (D-Bus
  /// specification, "Well-known Message Bus Instances").
  package init() {
    path = Self.path(Process.variable("DBUS_SYSTEM_BUS_ADDRESS") ?? "unix:path=/run/dbus/system_bus_socket")
  }

  /// - Parameter path: the path of the bus's socket.
  package init(busAt path: String) { self.path = path }

  /// Returns the path in the first address that has one: `unix:path=/run/…,guid=…;…`.
  static func path(_ addresses: String) -> String? {
    for address in addresses.split(separator: ";") {
      let start = "unix:"
      guard address.hasPrefix(start) else { continue }
      let values = address.dropFirst(start.count).split(separator: ",")
      if let path = values.first(where: { $0.hasPrefix("path=/") }) { return String(path.dropFirst(5)) }
    }
    return nil
  }

  /// The time that the bus may take to answer. Avahi itself may be silent forever.
  private static let patience = Duration.seconds(5)
  /// The largest number of bytes that are read at once.
  private static let pieceLength = 16_384
  /// The largest length of a line before the messages begin, in bytes.
  private static let longestLine = 512

  package func browse(_ onChange: @escaping @Sendable ([AnnouncedRobot]) -> Void) async throws(DiscoveryError) {
    guard let path else { throw .unavailable("the D-Bus system bus has no socket path (DBUS_SYSTEM_BUS_ADDRESS)") }
    let wakeUp: WakeUp
    do throws(SystemError) { wakeUp = try WakeUp() } catch { throw .unavailable(error.description) }
    let outcome = await withTaskCancellationHandler {
      await BrowsingThread.run("avahi") { () throws(DiscoveryError) in
        let end: Result<Void, DiscoveryError>
        do throws(Errno) { end = try Self.listen(at: path, until: wakeUp, onChange) } catch {
          if error == .canceled { return }
          throw .unavailable("\(path): \(error)")
        }
        try end.get()
      }
    } onCancel: {
      wakeUp.signal()
    }
    try outcome.get()
  }

  /// Listens to Avahi until `wakeUp` is signaled. Blocks.
  private static func listen(
    at path: String, until wakeUp: WakeUp, _ onChange: ([AnnouncedRobot]) -> Void
  ) throws(Errno) -> Result<Void, DiscoveryError> {
    let bus = try LocalConnection(to: path, wakeUp: wakeUp)
    let soon = Clock.system.deadline(after: patience)
    // The socket proves which user this is (D-Bus specification, "Authentication Protocol").
    let user = "\(Process.user)".utf8.map { "3\($0 - 0x30)" }.joined()
    try bus.send([0] + Array("AUTH EXTERNAL \(user)\r\n".utf8), until: soon)
    var line: [UInt8] = []
    while line.last != UInt8(ascii: "\n") {
      let byte = try bus.receive(1, until: soon)
      guard !byte.isEmpty, line.count < longestLine else {
        return .failure(.unavailable("\(path) is not a D-Bus socket"))
      }
      line += byte
    }
    guard line.starts(with: "OK ".utf8) else { return .failure(.unavailable("\(path) refuses this user")) }
    var session = AvahiSession()
    try bus.send(Array("BEGIN\r\n".utf8) + session.start().flatMap(\.bytes), until: soon)
    var received: [UInt8] = []
    while true {
      let piece = try bus.receive(pieceLength, until: .never)
      guard !piece.isEmpty else { return .failure(.unavailable("the D-Bus system bus closed the connection")) }
      received += piece
      do throws(DiscoveryError) {
        let (said, hasChanged) = try take(&received, &session)
        let deadline = Clock.system.deadline(after: patience)
        try reply(said, bus, deadline).get()
        if hasChanged { onChange(session.robots) }
      } catch { return .failure(error) }
    }
  }

  private static func reply(
    _ said: [BusMessage], _ bus: borrowing LocalConnection, _ deadline: Deadline
  ) -> Result<Void, DiscoveryError> {
    do throws(Errno) { return .success(try bus.send(said.flatMap(\.bytes), until: deadline)) } catch {
      // The next wait reports that the search was cancelled.
      return error == .canceled ? .success(()) : .failure(.unavailable("the D-Bus system bus: \(error)"))
    }
  }

  /// Processes all messages that have arrived completely.
  private static func take(
    _ received: inout [UInt8], _ session: inout AvahiSession
  ) throws(DiscoveryError) -> (said: [BusMessage], hasChanged: Bool) {
    var (said, hasChanged) = ([] as [BusMessage], false)
    var rest = received[...]
    while let length = try length(of: rest), rest.count >= length {
      // Other programs may send messages that Avahi would not; these are ignored.
      if let message = try? BusMessage(rest.prefix(length)) {
        let answer = try session.receive(message)
        said += answer.said
        hasChanged = hasChanged || answer.hasChanged
      }
      rest = rest.dropFirst(length)
    }
    received = Array(rest)
    return (said, hasChanged)
  }

  private static func length(of bytes: ArraySlice<UInt8>) throws(DiscoveryError) -> Int? {
    do throws(BusMessage.Malformed) { return try BusMessage.length(of: bytes) } catch {
      throw .unavailable("the D-Bus system bus sent an invalid message")
    }
  }
}
