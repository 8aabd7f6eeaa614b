/// Child processes that can be interrupted.
import Foundation

extension Process {
  /// Starts it as a shell would, with no signal blocked: a child inherits what the calling thread has blocked, which of
  /// the threads that tests run on is nearly everything.
  package func runWithSignals() throws {
    var none = sigset_t()
    var before = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    try run()
  }

  /// Waits for its end.
  ///
  /// - Returns: the exit status, or 128 and the signal's number.
  package func exitStatus() -> Int32 {
    waitUntilExit()
    return terminationReason == .exit ? terminationStatus : 128 + terminationStatus
  }
}
