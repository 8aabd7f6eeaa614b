#if !canImport(Darwin)
import Foundation
import FootageSystem
import LinuxTestSupport
import Testing

/// The messages of a child process over a socket, and the processor time that it gets.
@Suite struct SocketChildTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Returns a shell that runs a script, with the socket as descriptor 3.
  private func child(_ script: String) throws -> SocketChild {
    let path = folder.path("script")
    try Data(script.utf8).write(to: URL(fileURLWithPath: path))
    return try SocketChild(program: "/bin/bash", name: "bash", argument: path)
  }

  private func limits(processor: Int64 = Self.plenty, idle: Int64 = Self.plenty) -> SocketChild.TimeLimits {
    SocketChild.TimeLimits(processorMilliseconds: processor, idleMilliseconds: idle)
  }

  private static let spin = "while :; do :; done"
  /// A time in milliseconds that is longer than any of these tests needs.
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
    try child.send([7], descriptors: [], limits: limits())
    #expect(child.wait(milliseconds: nil))
    #expect(child.receive(capacity: 16) == Array("well".utf8))
    #expect(child.overrun == nil)
  }

  @Test func `a child that uses more processor time than it was given is ended`() throws {
    let child = try child(Self.spin)
    try child.send([7], descriptors: [], limits: limits(processor: 50))
    #expect(child.wait(milliseconds: nil))
    #expect(child.receive(capacity: 16) == nil)
    #expect(child.overrun == .processorTime)
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
    try child.send([7], descriptors: [], limits: limits())
    #expect(child.receive(capacity: 16) == [UInt8](repeating: 0, count: 8))
    try child.send([7], descriptors: [], limits: limits(processor: 50))
    #expect(child.receive(capacity: 16) == nil)
    #expect(child.overrun == .processorTime)
  }

  @Test func `a child that asked for little is ended when that is used up`() throws {
    // The child asks for one nanosecond.
    let child = try child(
      #"""
      printf '\0\0\0\0\0\0\0\0\1' >&3
      \#(Self.spin)
      """#)
    try child.send([7], descriptors: [], limits: limits())
    #expect(child.receive(capacity: 16) == nil)
    #expect(child.overrun == .processorTime)
  }

  @Test func `a child that asks without end is ended`() throws {
    let child = try child(#"while :; do printf '\0\100\0\0\0\0\0\0\0' >&3; done"#)
    try child.send([7], descriptors: [], limits: limits())
    #expect(child.receive(capacity: 16) == nil)
    #expect(child.overrun == .processorTime)
  }

  @Test(arguments: ["exec sleep 600", "kill -STOP $$", "read <&3; read <&3"])
  func `a child that does nothing is ended after a while`(script: String) throws {
    let child = try child(script)
    try child.send([10], descriptors: [], limits: limits(idle: 200))
    // This is long enough to show that the limit ends the wait.
    #expect(child.wait(milliseconds: Int(Self.plenty)))
    #expect(child.receive(capacity: 16) == nil)
    #expect(child.overrun == .idleness)
  }

  @Test func `a child that computes may go on for as long as it has processor time`() throws {
    let child = try child("for ((i = 0; i < 300000; i++)); do :; done; printf '\\1done' >&3; read")
    try child.send([10], descriptors: [], limits: limits(idle: 0))
    #expect(child.receive(capacity: 16) == Array("done".utf8))
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
    try child.send([10], descriptors: [], limits: limits(processor: 90_000))
    let first = try answer()
    #expect((90...120).contains(first.seconds))
    let lines = try text(of: "/proc/\(first.process)/limits").split(separator: "\n")
    let line = try #require(lines.first { $0.hasPrefix("Max cpu time") })
    let soft = try #require(line.dropFirst("Max cpu time".count).split(separator: " ").first.flatMap { Int($0) })
    #expect(soft < 60)
    try child.send([10], descriptors: [], limits: limits(processor: 60_000))
    #expect((60...89).contains(try answer().seconds))
  }
}
#endif
