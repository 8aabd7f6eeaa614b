internal import FootageSystem

/// What a loop is to do at a moment, unless it is cancelled before. Belongs to the loop's thread.
package final class LoopTimer {
  let deadline: Deadline
  private var action: (() -> Void)?

  init(_ deadline: Deadline, _ action: @escaping () -> Void) {
    self.deadline = deadline
    self.action = action
  }

  /// Lets go of it; nothing happens where it was done.
  package func cancel() { action = nil }

  var isOver: Bool { action == nil }

  /// Does it, once.
  func fire() {
    guard let action else { return }
    self.action = nil
    action()
  }
}
