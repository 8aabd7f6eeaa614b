import FootageHTTP
import Foundation
import FootageServing
import FootageSystem
import LinuxTestSupport
import Testing

@testable import FootageServer

@Suite struct ProtectionQueueTests {
  @Test func `a viewer whose changes take long keeps no other viewer from a thread`() async throws {
    let queue = try ProtectionQueue()
    defer { queue.stop() }
    let (gate, done) = (Semaphore(), EventLog<String>())
    let long = (0..<3).map { number in
      Task {
        await queue.run(for: .certificate("alice")) {
          gate.wait()
          done.append("alice \(number)")
          return true
        }
      }
    }
    #expect(await queue.run(for: .certificate("bob")) { done.all.isEmpty } == true)
    for _ in long { gate.signal() }
    for change in long { #expect(await change.value != nil) }
    #expect(done.all.count == 3)
  }

  @Test func `viewers whose changes never end keep no other one from its turn`() async throws {
    let queue = try ProtectionQueue()
    defer { queue.stop() }
    let (ends, parts) = (EventLog<Bool>(), EventLog<String>())
    let endless = ["alice", "bob", "carol"].map { name in
      Task {
        await queue.run(for: .certificate(name)) { () -> Bool? in
          parts.append(name)
          usleep(1_000)
          return ends.all.first
        }
      }
    }
    try await eventually("all to have begun") { () async -> Bool in Set(parts.all).count == 3 }
    #expect(await queue.run(for: .certificate("dave")) { 1 } == 1)
    ends.append(true)
    for change in endless { #expect(await change.value == true) }
  }

  @Test func `a viewer has sixteen changes waiting`() async throws {
    let queue = try ProtectionQueue()
    defer { queue.stop() }
    let gate = Semaphore()
    let changes = (0..<17).map { _ in
      Task {
        await queue.run(for: .certificate("alice")) {
          gate.wait()
          return true
        } != nil
      }
    }
    try await eventually("one to be refused") { () async -> Bool in queue.waitingCount == 16 }
    for _ in 0..<17 { gate.signal() }
    var done = 0
    for change in changes { if await change.value { done += 1 } }
    #expect(done >= 16)
    #expect(await queue.run(for: .certificate("alice")) { 1 } == 1)
  }
}
