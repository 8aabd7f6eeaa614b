internal import FootageAnswers
internal import FootageAPI
internal import FootageBase
internal import FootageHTTP
internal import FootageServing
internal import FootageLibrary
internal import FootageSystem

/// The routes that protect and release recordings, for viewers who have the right to do so. Belongs to its loop's
/// thread.
final class ProtectionRoutes {
  private let library: RecordingLibrary
  private let control: AccessControl
  /// The queue for work that takes time.
  private let queue: ProtectionQueue
  /// The share of the disk that one viewer may protect.
  private let share: RetentionRules.Room
  private let log: Log

  init(_ folder: FolderFacilities, _ control: AccessControl) {
    library = folder.library
    self.control = control
    queue = folder.protection
    share = folder.keepShare
    log = folder.server.log
  }

  /// A requested action, and the recordings that it applies to.
  private struct Change: Sendable {
    enum Subject: Sendable {
      case recording(String)
      case camera(String?, ProtectionSpan)
    }

    let action: CameraAction
    let subject: Subject
  }

  /// Carries out a request for a change from a viewer who has the right to it.
  func answer(to request: Request, about resource: Resource) async throws(RequestBodyError) -> HTTPResponse {
    // A browser presents its certificate for requests from any page.
    guard !request.head.isFromForeignPage else { return .document(HTTPProblem.foreignOrigin.document) }
    let change: Change
    switch resource {
    case .recording(let name, .protection):
      change = Change(action: request.head.method == .put ? .keep : .release, subject: .recording(name))
    case .camera(let name, .protection(let action)):
      guard request.head.hasJSON else { return .document(HTTPProblem.notJSON.document) }
      let body = try await request.body.bytes(
        within: RequestBodyLimit(byteCount: UInt64(ProtectionSpan.longestBody)))
      do throws(ProtectionSpan.Fault) {
        change = Change(action: action, subject: .camera(name, try ProtectionSpan(body: body)))
      } catch {
        return .document(Self.problem(for: error).document)
      }
    case .page, .health, .metrics, .recordings, .cameras, .recording, .camera, .film:
      return .document(HTTPProblem.noSuchRecording.document)
    }
    return await carryOut(change, for: request, about: resource)
  }

  private func carryOut(_ change: Change, for request: Request, about resource: Resource) async -> HTTPResponse {
    // A viewer without a certificate is identified by its address.
    let keeper = Keeper.viewer(request.identity?.name ?? request.peer.host)
    // The rights are checked again, because the rules may have changed while the body was received.
    let access = control.access(over: request.connection)
    guard access.verdict(on: resource, method: request.head.method) == .shown else {
      return .document(HTTPProblem.noSuchRecording.document)
    }
    let part = work(on: change, for: access.cameras, by: keeper)
    do throws(ProtectionError) {
      guard let count = try await queue.run(for: Viewer(of: request), part) else {
        return .document(HTTPProblem.busy.document)
      }
      note(change, count, by: request)
      return .document(HTTPDocument(.noContent, mediaType: "", bytes: [], fields: [("Cache-Control", "no-store")]))
    } catch {
      if case .incomplete(let done, _) = error { note(change, done.count, by: request) }
      return .document(Self.problem(for: error).document)
    }
  }

  /// Returns a closure that does a part of the work each time it is called. It returns nil until the last part, and
  /// then the number of changed recordings. It blocks.
  private func work(
    on change: Change, for cameras: CameraSelection, by keeper: Keeper
  ) -> @Sendable () throws(ProtectionError) -> Int? {
    let (library, share) = (library, share)
    switch (change.subject, change.action) {
    case (.recording(let name), let action):
      return { () throws(ProtectionError) in
        guard library.lookUp(name, of: cameras) != nil else { throw .unknown(name: name) }
        if action == .keep {
          try library.keep(name: name, by: keeper, within: try Self.limit(share, of: library, for: name))
        } else {
          try library.release(name: name)
        }
        return 1
      }
    case (.camera(let camera, let span), let action):
      guard cameras.contains(camera: camera) else {
        return { () throws(ProtectionError) in throw .nothingThere(camera: camera, from: span.from, to: span.to) }
      }
      let sweep =
        action == .keep
        ? library.protecting(camera: camera, from: span.from, to: span.to, by: keeper) { () throws(ProtectionError) in
          try Self.limit(share, of: library, for: camera ?? "no camera")
        } : library.releasing(camera: camera, from: span.from, to: span.to)
      return { () throws(ProtectionError) in try sweep.next()?.count }
    }
  }

  /// Returns the number of bytes that a viewer may protect.
  private static func limit(
    _ share: RetentionRules.Room, of library: RecordingLibrary, for subject: String
  ) throws(ProtectionError) -> UInt64 {
    do throws(LibraryError) { return share.bytes(of: try library.space().totalBytes) } catch {
      throw .unreadable(name: subject, reason: error.description)
    }
  }

  /// Logs one line for each change, however many recordings it affects:
  /// `audit: "alice" (192.0.2.7) protected front/2026-11-20T10-15-30`.
  private func note(_ change: Change, _ count: Int, by request: Request) {
    let name = request.identity.map { "\"\(LogText.escaped(Array($0.name.utf8)[...]))\"" } ?? "an anonymous viewer"
    let done = change.action == .keep ? "protected" : "released"
    let what =
      switch change.subject {
      case .recording(let name): name
      case .camera(let camera, let span):
        "\(count) recordings of \(camera ?? "no camera") from \(span.from.rfc3339) to \(span.to.rfc3339)"
      }
    log(.info, "audit: \(name) (\(request.peer.host)) \(done) \(what)")
  }

  // MARK: Refusals

  private static func problem(for fault: ProtectionSpan.Fault) -> HTTPProblem {
    switch fault {
    case .noJSON: HTTPProblem(.badRequest, .badBody, "The body is not a JSON object: send {\"from\": …, \"to\": …}.")
    case .senseless(let detail): HTTPProblem(.badRequest, .badBody, detail)
    }
  }

  private static func problem(for error: ProtectionError) -> HTTPProblem {
    switch error {
    case .unknown: .noSuchRecording
    case .nothingThere: HTTPProblem(.notFound, .notFound, "The camera recorded nothing at that time.")
    case .stillRecorded, .refusedEverywhere, .notReleased, .overShare, .inStoreAlone:
      HTTPProblem(.conflict, .cannotKeep, sentence(error))
    case .changed:
      HTTPProblem(.serviceUnavailable, .changed, sentence(error), fields: [("Retry-After", "1")])
    case .unreadable:
      HTTPProblem(.serviceUnavailable, .unreadable, sentence(error), fields: [("Retry-After", "10")])
    case .incomplete(_, let first): problem(for: first)
    }
  }

  private static func sentence(_ error: ProtectionError) -> String {
    let words = error.description
    return words.prefix(1).uppercased() + words.dropFirst() + "."
  }
}
