import FootageSystem
import Testing

@Suite struct ThreadTests {
  @Test func `a thread runs its work and is joined`() throws {
    nonisolated(unsafe) var done = false
    let thread = try Thread.start("a name of more than fifteen bytes") { done = true }
    thread.join()
    #expect(done)
  }

  @Test func `a semaphore that nobody signals is waited for until the deadline`() {
    let semaphore = Semaphore()
    #expect(!semaphore.wait(until: Clock.system.now))
    semaphore.signal()
    #expect(semaphore.wait(until: .never))
  }
}
