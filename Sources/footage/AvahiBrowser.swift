internal import FootageCore
internal import System

/// What this machine's own Avahi knows of robots. It listens all the time, and where a firewall lets no answers to a
/// question through, it lets Avahi's in.
enum AvahiBrowser {
  /// In bytes, of what its program prints.
  private static let longest = 1 << 20

  /// - Parameter seconds: how long the program may take, which waits for robots that do not answer.
  /// - Returns: none, too, where there is no `avahi-browse`, or no Avahi that runs. Blocks.
  static func robots(within seconds: Int) -> [AnnouncedRobot] {
    let script = "timeout \"$1\" avahi-browse --resolve --parsable --terminate _footage._tcp 2>/dev/null"
    do throws(SystemError) {
      let said = try ChildProcess.output(of: script, argument: "\(seconds)", limit: longest)
      return AvahiListing.robots(in: String(decoding: said, as: UTF8.self))
    } catch {
      // The network can be asked without it.
      Terminal.say("Avahi cannot be asked: \(error)")
      return []
    }
  }
}
