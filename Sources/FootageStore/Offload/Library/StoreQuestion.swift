internal import FootageAPI
internal import FootageServing
internal import FootageLibrary
internal import Synchronization
internal import FootageSystem

/// A checker that asks the store on the offloader's loop, while the thread that makes room waits.
final class StoreQuestion: StoreChecker {
  private let offloader: Offloader
  private let loop: EventLoop

  /// The longest wait for an answer. In addition, the store's client has deadlines for each step.
  private static let patience = Duration.seconds(20)
  /// The interval at which the waiting thread checks if it must stop.
  private static let interval = Duration.milliseconds(100)

  init(_ offloader: Offloader, on loop: EventLoop) {
    self.offloader = offloader
    self.loop = loop
  }

  func check(_ name: String, version: VersionTag, isStopped: () -> Bool) -> StoreAnswer {
    let answer = Answer()
    let task = Task(executorPreference: loop) { [offloader] in
      answer.set(await offloader.confirm(name, version: version.text))
    }
    let deadline = Clock.system.deadline(after: Self.patience)
    while !answer.wait(for: Self.interval) {
      guard !isStopped(), Clock.system.now < deadline else {
        task.cancel()
        return .unknown("the store did not answer within \(Self.patience)")
      }
    }
    return answer.value
  }

  /// The answer, set once on the loop.
  private final class Answer: Sendable {
    private let content = Mutex<StoreAnswer?>(nil)
    private let isThere = Semaphore()

    func set(_ answer: StoreAnswer) {
      content.withLock { $0 = answer }
      isThere.signal()
    }

    func wait(for duration: Duration) -> Bool { isThere.wait(until: Clock.system.deadline(after: duration)) }

    var value: StoreAnswer { content.withLock { $0 } ?? .unknown("the store did not answer") }
  }
}
