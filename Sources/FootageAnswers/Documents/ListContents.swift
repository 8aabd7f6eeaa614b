package import FootageAPI
package import FootageBase

/// The recordings and cameras of which lists are made: of a folder or of many robots, at one moment.
package protocol ListContents: Sendable {
  /// Goes up with every change.
  var generation: UInt64 { get }
  /// What the clock says.
  var now: UnixTimestamp { get }
  /// True if the same documents can be made again at any time, so that they need not be kept while they are sent.
  var isInMemory: Bool { get }

  /// A page of the list: a JSON document. Costs what it walks, and blocks.
  ///
  /// - Returns: nil where it cannot be made just now.
  func page(of query: ListQuery, for cameras: CameraSelection, _ header: ListHeader, at now: UnixTimestamp) -> [UInt8]?

  /// The cameras in the order of their names. Blocks.
  ///
  /// - Returns: nil where they cannot be told just now.
  func cameras() -> [CameraList.Camera]?

  /// What there is of a camera over some time. Costs what it finds, and blocks.
  ///
  /// - Returns: nil where there is no such camera for who may see these.
  func timeline(
    ofCamera camera: String?, _ window: TimelineWindow, hasRows: Bool, for cameras: CameraSelection,
    _ header: ListHeader
  ) -> CameraTimeline?
}
