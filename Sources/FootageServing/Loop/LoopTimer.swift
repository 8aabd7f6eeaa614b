internal import FootageSystem

/// An action that a loop runs at a given moment unless it is canceled earlier. Belongs to the loop's thread.
package final class LoopTimer {
  let deadline: Deadline
  private var action: (() -> Void)?

  init(_ deadline: Deadline, _ action: @escaping () -> Void) {
    self.deadline = deadline
    self.action = action
  }

  /// Cancels the action. Does nothing if the action has run.
  package func cancel() { action = nil }

  var isOver: Bool { action == nil }

  /// Runs the action, once.
  func fire() {
    guard let action else { return }
    self.action = nil
    action()
  }
}
