internal import CFootageLinux

/// Thread settings for a program that has its process to itself.
extension Thread {
  /// Gives the calling thread the processor only when no other thread wants it, and likewise the disk if its scheduler
  /// uses classes. Calls `setpriority` and `ioprio_set`, for this thread only.
  ///
  /// - Throws: `SystemError` if the system refuses one of the two; the other may be in effect.
  package static func yieldToOthers() throws(SystemError) {
    guard clinux_yield_to_others() >= 0 else { throw .current("ioprio_set") }
  }
}
