/// The streams that a process begins with.

internal import Glibc

package enum StandardError {
  /// Blocks while nobody reads; gives up where nobody ever will.
  package static func write(_ bytes: [UInt8]) { writeAll(bytes, to: 2) }
}

package enum StandardOutput {
  /// Blocks while nobody reads; gives up where nobody ever will. Nothing is buffered.
  package static func write(_ bytes: [UInt8]) { writeAll(bytes, to: 1) }
}

private func writeAll(_ bytes: [UInt8], to descriptor: CInt) {
  var rest = bytes[...]
  while !rest.isEmpty {
    // Safe because the slice's storage is lent for the call, and its length goes along.
    let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
    if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return }
  }
}
