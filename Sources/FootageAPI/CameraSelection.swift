/// Which cameras somebody gets to see.
package struct CameraSelection: Hashable, Sendable {
  /// Nil for all of them, and for recordings without a camera.
  private let names: Set<ExactName>?

  private init(_ names: Set<ExactName>?) { self.names = names }

  /// Everything, recordings without a camera among it.
  package static let all = CameraSelection(nil)
  package static let none = CameraSelection([])

  /// These cameras, told apart byte by byte, and no recording without a camera.
  package init(_ names: some Sequence<String>) { self.init(Set(names.map(ExactName.init))) }

  /// Whether it is everything.
  package var isEverything: Bool { names == nil }

  /// - Parameter camera: nil for recordings without one.
  package func contains(camera: String?) -> Bool {
    guard let names else { return true }
    return camera != nil && names.contains(ExactName(camera))
  }

  package func isSubset(of other: CameraSelection) -> Bool {
    guard let others = other.names else { return true }
    return names?.isSubset(of: others) ?? false
  }
}
