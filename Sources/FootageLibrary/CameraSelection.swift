/// Which cameras somebody gets to see.
package struct CameraSelection: Hashable, Sendable {
  /// Nil for all of them, and for recordings without a camera.
  private let names: Set<NameKey>?

  private init(_ names: Set<NameKey>?) { self.names = names }

  /// Everything, recordings without a camera among it.
  package static let all = CameraSelection(nil)
  package static let none = CameraSelection([])

  /// These cameras, told apart byte by byte, and no recording without a camera.
  package init(_ names: some Sequence<String>) { self.init(Set(names.map(NameKey.init))) }

  /// Whether it is everything.
  package var isEverything: Bool { names == nil }

  /// - Parameter camera: nil for recordings without one.
  package func contains(camera: String?) -> Bool {
    guard let names else { return true }
    return camera.map { names.contains(NameKey($0)) } ?? false
  }

  package func isSubset(of other: CameraSelection) -> Bool {
    guard let others = other.names else { return true }
    return names?.isSubset(of: others) ?? false
  }
}
