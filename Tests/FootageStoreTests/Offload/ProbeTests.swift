import FootageAPI
import FootageServing
import FootageSystem
import LinuxTestSupport
import StoreTestSupport
import Testing

@testable import FootageStore

@Suite struct ProbeTests {
  @Test func `a store that goes away while nobody needs it is told, and gone when it is there again`() async throws {
    let loop = try EventLoop()
    try loop.start()
    let pool = try BlockingPool(threadCount: 1)
    defer {
      loop.stop()
      pool.stop()
    }
    let world = World(seed: 1)
    let progress = OffloadProgress(store: "world")
    let offloader = try Offloader(
      Offloader.Surroundings(
        store: world.store, reading: world.store, asking: world.store,
        files: WorldLibrary(world: world), prefix: SimulationTests.prefix, manifestLimit: 1 << 20, pool: pool,
        probeInterval: .zero, log: { _ in }),
      record: WorldRecord(world), on: loop, progress: progress)
    for isThere in [true, true, false, false, true, false, true] {
      world.failurePercent = isThere ? 0 : 100
      await offloader.turnOnce()
      #expect(progress.report.troubles.map(\.code) == (isThere ? [] : [HealthCode.offloadAway.rawValue]))
    }
  }
}
