/// The cameras that a viewer may see.
package struct CameraSelection: Hashable, Sendable {
  /// The names of the cameras; nil for all cameras and for the recordings without a camera.
  private let names: Set<ExactName>?

  private init(_ names: Set<ExactName>?) { self.names = names }

  /// The selection of everything, including the recordings without a camera.
  package static let all = CameraSelection(nil)
  package static let none = CameraSelection([])

  /// Creates a selection of these cameras, compared byte by byte. It contains no recording without a camera.
  package init(_ names: some Sequence<String>) { self.init(Set(names.map(ExactName.init))) }

  /// True if the selection is everything.
  package var isEverything: Bool { names == nil }

  /// - Parameter camera: nil for the recordings without a camera.
  package func contains(camera: String?) -> Bool {
    guard let names else { return true }
    return camera != nil && names.contains(ExactName(camera))
  }

  package func isSubset(of other: CameraSelection) -> Bool {
    guard let others = other.names else { return true }
    return names?.isSubset(of: others) ?? false
  }
}
