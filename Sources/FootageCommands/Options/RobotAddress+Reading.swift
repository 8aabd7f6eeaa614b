internal import FootageCore
internal import FootageSystem

extension RobotAddress {
  /// Prints how an IPv6 address without brackets is read. Without brackets, `::1:8443` has no port: the last number
  /// belongs to the address.
  func sayReading(of text: String) {
    guard !text.contains("["), text.utf8.count(where: { $0 == UInt8(ascii: ":") }) > 1, host.contains(":") else {
      return
    }
    Terminal.say("\(text) is read as \(self)")
  }
}
