#if !canImport(Darwin)
import FootageSystem
import Testing

@Suite struct ChildProcessTests {
  @Test(arguments: [("exit 0", 0), ("exit 7", 7), ("exit \"$1\"", 9)])
  func `a child's code is told, and its argument is one word`(script: String, code: Int32) throws {
    let child = try ChildProcess.shell(script, name: "test", argument: "9")
    #expect(child.wait() == .exited(code: code))
    // A later call returns the same result.
    #expect(child.wait() == .exited(code: code))
  }

  @Test func `a child that is ended by a signal says so`() throws {
    let asked = try ChildProcess.shell("exec sleep 3600", name: "test", argument: "")
    asked.terminate()
    #expect(asked.wait() == .signalled(15))
    let killed = try ChildProcess.shell("trap '' TERM; exec sleep 3600", name: "test", argument: "")
    killed.kill()
    let end = killed.wait()
    #expect(end == .signalled(9) && !end.isOwnDoing)
    #expect(end.description == "it was killed by signal 9 (Killed)")
    // After the end, no signal is sent to any process.
    killed.kill()
  }

  @Test func `another thread can end a child that is waited for`() async throws {
    let child = try ChildProcess.shell("exec sleep 3600", name: "test", argument: "")
    let waiting = Semaphore()
    let waiter = try Thread.start("waiter") {
      #expect(child.wait() == .signalled(9))
      waiting.signal()
    }
    // The waiter may or may not be waiting already.
    child.kill()
    #expect(waiting.wait(until: Clock.system.deadline(after: .seconds(60))))
    waiter.join()
  }

  @Test func `a program that is not there is told`() {
    let error = #expect(throws: SystemError.self) {
      try SocketChild(program: "/nowhere/program", name: "test", argument: "")
    }
    #expect(error?.number == .notFound)
  }
}
#endif
