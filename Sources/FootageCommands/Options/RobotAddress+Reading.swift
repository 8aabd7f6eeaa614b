internal import FootageCore
internal import FootageSystem

extension RobotAddress {
  /// Prints the reading of an IPv6 address without brackets: a port that was meant to follow it becomes part of the
  /// address.
  func sayReading(of text: String) {
    guard !text.contains("["), text.utf8.count(where: { $0 == UInt8(ascii: ":") }) > 1, host.contains(":") else {
      return
    }
    Terminal.say("\(text) is read as \(self)")
  }
}
