internal import FootageAnswers
internal import FootageServing

/// The rights of the viewers on a loop, according to the newest rules that the loop has received. Belongs to the loop's
/// thread.
final class AccessControl {
  /// The rights of a viewer, kept with the connection.
  private final class Known {
    let generation: UInt64
    let access: Access

    init(_ access: Access, _ generation: UInt64) {
      self.access = access
      self.generation = generation
    }
  }

  /// The rules; nil if there is no `viewers.conf`.
  private var rules: ViewerRules?
  /// The generation of the rules, which increases with every change.
  private(set) var generation: UInt64 = 0

  init(_ rules: ViewerRules?) { self.rules = rules }

  /// True if there are no restrictions, so that viewers need not be identified.
  var isOpen: Bool { rules == nil }

  /// Applies newer rules. Two changes at nearly the same time may arrive in either order. Older rules are ignored, so
  /// that no viewer regains a right.
  ///
  /// - Returns: true if these rules are newer than the current ones.
  func update(to rules: ViewerRules, generation: UInt64) -> Bool {
    guard generation > self.generation else { return false }
    (self.rules, self.generation) = (rules, generation)
    return true
  }

  /// Returns the rights of a connection's viewer. They are computed once per connection, and again after a change of
  /// the rules.
  func access(over connection: any RequestConnection) -> Access {
    guard let rules else { return .everything }
    if let known = connection.note as? Known, known.generation == generation { return known.access }
    let access = Access.viewer(rules.rights(of: connection.identity))
    connection.note = Known(access, generation)
    return access
  }
}
