package import FootageSystem

/// The thread that the connections of a client belong to: it runs their tasks, and what is to be done at a moment.
package protocol ConnectionExecutor: SerialExecutor, TaskExecutor {
  /// What deadlines are moments of.
  var clock: Clock { get }

  /// Has `action` called on the executor's thread at a moment, or soon after. It holds nothing up, and waits for
  /// nothing. To be called there.
  func timer(at deadline: Deadline, _ action: @escaping () -> Void) -> any ConnectionTimer

  /// Lets the others on the executor's thread go on, and what has come to their connections be noticed. To be called there.
  func yield() async
}

/// What is to be done at a moment, unless it is cancelled before. Belongs to its executor's thread.
package protocol ConnectionTimer: AnyObject {
  /// Lets go of it; nothing happens where it was done.
  func cancel()
}
