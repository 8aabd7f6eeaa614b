package import FootageSystem

/// The thread to which a client's connections belong. It runs their tasks and their timers.
package protocol ConnectionExecutor: SerialExecutor, TaskExecutor {
  /// The clock of all deadlines.
  var clock: Clock { get }

  /// Calls `action` on the executor's thread at the deadline, or soon after it. The action must not block or wait. Must
  /// be called on that thread.
  func timer(at deadline: Deadline, _ action: @escaping () -> Void) -> any ConnectionTimer

  /// Lets other tasks on the executor's thread run, and data that has arrived be received. Must be called on that
  /// thread.
  func yield() async
}

/// An action to be run at a given moment unless it is canceled earlier. Belongs to its executor's thread.
package protocol ConnectionTimer: AnyObject {
  /// Cancels the action. Does nothing if the action has run.
  func cancel()
}
