package import FootageAPI
package import FootageBase
package import FootageHTTP

/// A source of recordings: a robot's folder, a store of many robots, or memory.
///
/// ``RecordingHandler`` asks it only for resources that the client has the right to. A source omits from its answers
/// the recordings and cameras that the client may not see, and answers requests for those as if they did not exist.
package protocol RecordingSource: AnyObject {
  /// A client, with the facts about its request that a source needs.
  associatedtype Asker
  /// The reason why the body of a request is not available.
  associatedtype BodyFailure: Error

  /// Returns the current rights of the client.
  func access(of asker: Asker) -> Access

  /// The error that answers requests for a change; nil if recordings can be protected and released.
  var refusalOfChanges: HTTPProblem? { get }

  /// Returns true if the client may see the recording or camera that the resource names, whatever else the client may
  /// do with it.
  func has(_ resource: Resource, for asker: Asker) async -> Bool

  /// Returns the page for people.
  func page(for asker: Asker) async -> HTTPResponse

  /// - Parameter isLive: true if the client only asks whether the server is running.
  func health(isLive: Bool, for asker: Asker) async -> HTTPResponse

  func metrics(for asker: Asker) async -> HTTPResponse

  /// Returns a page of the list of recordings.
  func list(_ query: ListQuery, for asker: Asker) async -> HTTPResponse

  /// - Parameter robot: the robot whose cameras the client asks for; nil for all robots.
  func cameras(ofRobot robot: String?, for asker: Asker) async -> HTTPResponse

  /// - Parameter view: any view except the protection.
  func recording(_ name: String, _ view: RecordingView, for asker: Asker) async -> HTTPResponse

  /// - Parameters:
  ///   - name: nil for the recordings without a camera.
  ///   - view: any view except the protection.
  func camera(_ name: String?, _ view: CameraView, for asker: Asker) async -> HTTPResponse

  /// Returns a part of the film of a version, or of a growing recording.
  func film(_ address: FilmAddress, _ part: FilmPart, for asker: Asker) async -> HTTPResponse

  /// Protects or releases recordings, for a client that has the right to do so.
  func change(_ resource: Resource, for asker: Asker) async throws(BodyFailure) -> HTTPResponse
}
