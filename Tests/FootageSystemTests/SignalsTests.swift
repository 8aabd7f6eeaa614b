#if !canImport(Darwin)
import FootageSystem
import Testing

@Suite struct SignalsTests {
  @Test func `a wait for a signal ends when it is woken, also by a wake-up from before`() throws {
    let signals = try Signals()
    signals.wakeUp.signal()
    let woken = signals.next(until: .never)
    #expect(woken == nil)
    let late = signals.next(until: Clock.system.now)
    #expect(late == nil)
  }
}
#endif
