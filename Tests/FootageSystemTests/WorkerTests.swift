import FootageSystem
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct WorkerTests {
  @Test func `turns follow one another on one thread, until the worker is stopped`() throws {
    let worker = Worker("turns")
    let threads = Mutex<[UInt]>([])
    let third = Semaphore()
    try worker.start {
      let beginning = Thread.current
      return {
        let count = threads.withLock { threads in
          threads.append(Thread.current == beginning ? beginning : 0)
          return threads.count
        }
        if count == 3 {
          third.signal()
          worker.sleep(until: .never)
        }
      }
    }
    third.wait()
    worker.stop()
    #expect(threads.withLock { $0.count == 3 && Set($0).count == 1 && !$0.contains(0) })
    #expect(worker.isStopped)
    // A second stop has nothing left to end.
    worker.stop()
  }

  @Test func `a wake ends the sleep that is under way, or the next one`() throws {
    let worker = Worker("wakes")
    let slept = Semaphore()
    let turns = Mutex(0)
    worker.wake()
    try worker.start {
      return {
        worker.sleep(until: .never)
        turns.withLock { $0 += 1 }
        slept.signal()
      }
    }
    slept.wait()
    worker.wake()
    slept.wait()
    #expect(turns.withLock { $0 } == 2)
    worker.stop()
  }

  @Test func `a stop waits for the turn that is under way`() throws {
    let worker = Worker("stops")
    let began = Semaphore()
    let hasEnded = Mutex(false)
    try worker.start {
      return {
        began.signal()
        // The turn checks repeatedly whether it should end, as a long turn must.
        while !worker.isStopped { Thread.sleep(milliseconds: 1) }
        hasEnded.withLock { $0 = true }
      }
    }
    began.wait()
    worker.stop()
    #expect(hasEnded.withLock { $0 })
  }

  @Test func `nobody waits for a worker that is abandoned`() throws {
    let worker = Worker("abandoned")
    let (began, mayEnd, ended) = (Semaphore(), Semaphore(), Semaphore())
    try worker.start {
      return {
        began.signal()
        mayEnd.wait()
        ended.signal()
      }
    }
    began.wait()
    worker.abandon()
    mayEnd.signal()
    ended.wait()
  }

  @Test func `what wakes a worker that waits elsewhere is called by a wake and by a stop`() throws {
    let elsewhere = Semaphore()
    let calls = Mutex(0)
    let worker = Worker("elsewhere") {
      calls.withLock { $0 += 1 }
      elsewhere.signal()
    }
    try worker.start { return { elsewhere.wait() } }
    worker.wake()
    worker.stop()
    #expect(calls.withLock { $0 } == 2)
  }

  @Test func `a worker that was never started stops at once, and starts no more turns`() throws {
    let worker = Worker("never")
    worker.stop()
    let turns = Mutex(0)
    try worker.start { return { turns.withLock { $0 += 1 } } }
    worker.stop()
    #expect(turns.withLock { $0 } == 0)
  }
}
