internal import Synchronization
internal import FootageSystem

/// The notifications to the service manager, if there is one: that the server is ready, that it is alive, and that it
/// is stopping.
final class Supervision: Sendable {
  private let manager: ServiceManager?
  private let watchdog: Mutex<Watchdog?>
  private let log: Log
  private let hasFailed = Atomic(false)

  init(_ manager: ServiceManager?, loops: Int, log: Log) {
    self.manager = manager
    self.log = log
    watchdog = Mutex(
      manager?.watchdog.map { Watchdog(patience: $0, loops: loops, at: Clock.system.now) })
  }

  func serves() { tell(.ready) }

  func stops() { tell(.stopping) }

  /// Records that a loop has answered. Any thread.
  func loopAnswered(_ index: Int) { watchdog.withLock { $0?.loopAnswered(index) } }

  /// Notifies the service manager that the server is alive, when that is due. Called about once a second.
  func secondPassed() {
    guard watchdog.withLock({ $0?.isDue(at: Clock.system.now) }) == true else { return }
    tell(.alive)
  }

  private func tell(_ news: ServiceManager.News) {
    do throws(SystemError) { try manager?.tell(news) } catch {
      guard !hasFailed.exchange(true, ordering: .relaxed) else { return }
      log(.warning, "cannot report the server's state to the service manager: \(error)")
    }
  }
}
