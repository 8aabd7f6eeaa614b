internal import FootageAnswers
internal import FootageServing

/// What everybody on a loop may see and do, by the rules that the loop has heard of last. Belongs to its thread.
final class AccessControl {
  /// What was found out about a viewer, kept with the connection.
  private final class Known {
    let generation: UInt64
    let access: Access

    init(_ access: Access, _ generation: UInt64) {
      self.access = access
      self.generation = generation
    }
  }

  /// Nil where there is no `viewers.conf`.
  private var rules: ViewerRules?
  /// Of the rules: goes up with every change.
  private(set) var generation: UInt64 = 0

  init(_ rules: ViewerRules?) { self.rules = rules }

  /// Whether nobody is kept from anything, so that nobody need be asked for.
  var isOpen: Bool { rules == nil }

  /// Two changes that come at once may come in either order, and nobody gets a right back by that.
  ///
  /// - Returns: whether these rules are newer than those that held.
  func update(to rules: ViewerRules, generation: UInt64) -> Bool {
    guard generation > self.generation else { return false }
    (self.rules, self.generation) = (rules, generation)
    return true
  }

  /// Found out once a connection, and again where the rules have changed.
  func access(over connection: any RequestConnection) -> Access {
    guard let rules else { return .everything }
    if let known = connection.note as? Known, known.generation == generation { return known.access }
    let access = Access.viewer(rules.rights(of: connection.identity))
    connection.note = Known(access, generation)
    return access
  }
}
