#if !canImport(Darwin)
import Foundation
import FootageSystem
import LinuxTestSupport
import Testing

/// What a child at a socket says, and how much processor time it gets.
@Suite struct SocketChildTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A shell that runs a script, with the socket as descriptor 3.
  private func child(_ script: String) throws -> SocketChild {
    let path = folder.path("script")
    try Data(script.utf8).write(to: URL(fileURLWithPath: path))
    return try SocketChild(program: "/bin/bash", name: "bash", argument: path)
  }

  private static let spin = "while :; do :; done"
  /// In milliseconds: more than any of these needs.
  private static let plenty: Int64 = 600_000

  @Test func `an answer is what was said, whatever was asked for before`() throws {
    let child = try child(
      #"""
      # 2^32 and 2^33 nanoseconds.
      printf '\0\0\0\0\1\0\0\0\0' >&3
      printf '\0\0\0\0\2\0\0\0\0' >&3
      printf '\1well' >&3
      read
      """#)
    try child.send([7], descriptors: [], processorMilliseconds: Self.plenty)
    #expect(child.wait(milliseconds: nil))
    #expect(child.receive(capacity: 16) == Array("well".utf8))
    #expect(!child.isOutOfTime)
  }

  @Test func `a child that uses more processor time than it was given is ended`() throws {
    let child = try child(Self.spin)
    try child.send([7], descriptors: [], processorMilliseconds: 50)
    #expect(child.wait(milliseconds: nil))
    #expect(child.receive(capacity: 16) == nil)
    #expect(child.isOutOfTime)
    #expect(child.end(killing: true) == .signalled(9))
  }

  @Test func `a child that asks for more gets no more than was meant for it`() throws {
    let child = try child(
      #"""
      # No request, and nothing that anybody wants to know.
      printf '\100\0\0\0\0\0\0\0\0' >&3
      # 2^62 nanoseconds.
      printf '\0\100\0\0\0\0\0\0\0' >&3
      \#(Self.spin)
      """#)
    try child.send([7], descriptors: [], processorMilliseconds: Self.plenty)
    #expect(child.receive(capacity: 16) == [UInt8](repeating: 0, count: 8))
    try child.send([7], descriptors: [], processorMilliseconds: 50)
    #expect(child.receive(capacity: 16) == nil)
    #expect(child.isOutOfTime)
  }

  @Test func `a child that asked for little is ended when that is used up`() throws {
    // A nanosecond.
    let child = try child(
      #"""
      printf '\0\0\0\0\0\0\0\0\1' >&3
      \#(Self.spin)
      """#)
    try child.send([7], descriptors: [], processorMilliseconds: Self.plenty)
    #expect(child.receive(capacity: 16) == nil)
    #expect(child.isOutOfTime)
  }

  @Test func `a child that asks without end is ended`() throws {
    let child = try child(#"while :; do printf '\0\100\0\0\0\0\0\0\0' >&3; done"#)
    try child.send([7], descriptors: [], processorMilliseconds: Self.plenty)
    #expect(child.receive(capacity: 16) == nil)
    #expect(child.isOutOfTime)
  }

  @Test func `the kernel knows the limit, too, and a smaller one once the child has answered`() throws {
    let child = try child(
      #"""
      for message in 1 2; do
        read <&3
        printf '\1%s %s' "$$" "$(ulimit -St)" >&3
      done
      read
      """#)
    func answer() throws -> (process: Int, seconds: Int) {
      let words = String(decoding: try #require(child.receive(capacity: 64)), as: UTF8.self).split(separator: " ")
      try #require(words.count == 2)
      return try (#require(Int(words[0])), #require(Int(words[1])))
    }
    try child.send([10], descriptors: [], processorMilliseconds: 90_000)
    let first = try answer()
    #expect((90...120).contains(first.seconds))
    let limits = try text(of: "/proc/\(first.process)/limits").split(separator: "\n")
    let line = try #require(limits.first { $0.hasPrefix("Max cpu time") })
    let soft = try #require(line.dropFirst("Max cpu time".count).split(separator: " ").first.flatMap { Int($0) })
    #expect(soft < 60)
    try child.send([10], descriptors: [], processorMilliseconds: 60_000)
    #expect((60...89).contains(try answer().seconds))
  }
}
#endif
