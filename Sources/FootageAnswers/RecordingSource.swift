package import FootageAPI
package import FootageHTTP

/// A source of recordings: a robot's folder, a store of many robots, or memory.
///
/// ``RecordingHandler`` asks it only what whoever asks may have answered, as far as resources go. A source leaves out of its
/// answers the recordings and cameras that they may not see; of those it answers as if they were not there.
package protocol RecordingSource: AnyObject {
  /// Whoever asks, with what a source has to know of their request.
  associatedtype Asker
  /// A reason why the body of a request cannot be had.
  associatedtype BodyFailure: Error

  /// The rights of whoever asks, as they are at this moment.
  func access(of asker: Asker) -> Access

  /// Nil where recordings can be protected and released; else what is said to whoever asks for that.
  var refusalOfChanges: HTTPProblem? { get }

  /// True if what a resource is about is there for whoever asks, whatever they may do with it.
  func has(_ resource: Resource, for asker: Asker) async -> Bool

  /// The page for people.
  func page(for asker: Asker) async -> HTTPResponse

  /// - Parameter isLive: whether only the server's own life is asked for.
  func health(isLive: Bool, for asker: Asker) async -> HTTPResponse

  func metrics(for asker: Asker) async -> HTTPResponse

  /// A page of the list of recordings.
  func list(_ query: ListQuery, for asker: Asker) async -> HTTPResponse

  /// - Parameter robot: whose cameras alone are asked for; nil for all.
  func cameras(ofRobot robot: String?, for asker: Asker) async -> HTTPResponse

  /// - Parameter view: not its protection.
  func recording(_ name: String, _ view: RecordingView, for asker: Asker) async -> HTTPResponse

  /// - Parameters:
  ///   - name: nil for recordings without a camera.
  ///   - view: not its protection.
  func camera(_ name: String?, _ view: CameraView, for asker: Asker) async -> HTTPResponse

  /// A part of the film of a version, or of what grows.
  func film(_ key: FilmKey, _ part: FilmPart, for asker: Asker) async -> HTTPResponse

  /// Protects or releases, for whoever has the right to it.
  func change(_ resource: Resource, for asker: Asker) async throws(BodyFailure) -> HTTPResponse
}
