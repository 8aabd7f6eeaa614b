internal import CFootageLinux

/// What a program has its threads do that has the machine to itself.
extension Thread {
  /// From now on the calling thread has the processor, and the disk where that is asked by class, when nobody else wants
  /// them. Calls `setpriority` and `ioprio_set`, for this thread alone.
  ///
  /// - Throws: `SystemError` where the system refuses one of the two; the other may hold.
  package static func yieldToOthers() throws(SystemError) {
    guard clinux_yield_to_others() >= 0 else { throw .current("ioprio_set") }
  }
}
