internal import FootageCore
internal import FootageSystem

extension RobotAddress {
  /// Says how an address of IPv6 without brackets is read: a port that was meant behind it is part of the address.
  func sayReading(of text: String) {
    guard !text.contains("["), text.utf8.count(where: { $0 == UInt8(ascii: ":") }) > 1, host.contains(":") else {
      return
    }
    Terminal.say("\(text) is read as \(self)")
  }
}
