package import FootageAPI
package import FootageBase

/// The recordings and cameras that lists are made of, from a folder or from many robots, at one moment.
package protocol ListContents: Sendable {
  /// A number for the present contents, which increases with every change.
  var generation: UInt64 { get }
  /// The time by the clock.
  var now: UnixTimestamp { get }
  /// True if the same documents can be made again at any time, so that they need not be kept while they are sent.
  var isInMemory: Bool { get }

  /// Returns a page of the list as a JSON document. The cost grows with the recordings that it visits, and it blocks.
  ///
  /// - Returns: nil if the page cannot be made at the moment.
  func page(of query: ListQuery, for cameras: CameraSelection, _ header: ListHeader, at now: UnixTimestamp) -> [UInt8]?

  /// Returns the cameras, sorted by name. It blocks.
  ///
  /// - Returns: nil if the cameras cannot be determined at the moment.
  func cameras() -> [CameraList.Camera]?

  /// Returns the footage of a camera over a time. The cost grows with the recordings that it finds, and it blocks.
  ///
  /// - Returns: nil if there is no such camera for a client that may see `cameras`.
  func timeline(
    ofCamera camera: String?, _ window: TimelineWindow, rows: TimelineQuery.Rows, for cameras: CameraSelection,
    _ header: ListHeader
  ) -> CameraTimeline?
}
