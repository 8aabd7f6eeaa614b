/// A library on a folder of its own, with a clock that the test moves and a log that it reads.

import FootageBase
import Foundation
import FootageSystem
import Synchronization
import LinuxTestSupport
import Testing

@testable import FootageLibrary

extension EventLog<LibraryEvent> {
  var warnings: [String] { all.compactMap { if case .warning(let text) = $0 { text } else { nil } } }
}

final class LibraryFixture {
  let folder: TemporaryFolder
  let clock = MovableClock(ahead: .zero)
  let log = EventLog<LibraryEvent>()
  let library: RecordingLibrary

  /// - Parameter recordings: a folder that the caller manages; nil for `folder`.
  init(
    in folder: TemporaryFolder? = nil, state: String? = nil, recordings: String? = nil, role: LibraryRole = .server,
    isStarted: Bool = true, examiner: any FileIndexer = LocalFileIndexer()
  ) throws {
    self.folder = try folder ?? TemporaryFolder()
    let log = log
    library = try RecordingLibrary(
      recordings: recordings ?? self.folder.location, state: state, role: role, clock: clock.clock, examiner: examiner,
      log: { log.append($0) })
    guard isStarted else { return }
    try library.start { _ in }
    // From here on, every change in the folder is noticed.
    try wait("the first scan") { _ in log.all.contains { if case .scanned = $0 { true } else { false } } }
  }

  deinit { library.stop() }

  /// Waits until the library is in a certain state. It fails only after a time that is long enough for any machine.
  func wait(
    _ what: String, sourceLocation: SourceLocation = #_sourceLocation, _ isThere: (LibrarySnapshot) -> Bool
  ) throws {
    try eventually("\(what); \(states); \(log.all)", sourceLocation: sourceLocation) { isThere(library.snapshot) }
    // A turn that reports a change does more work after the report.
    library.withWorker { _ in }
  }

  func waitForState(
    _ name: String, sourceLocation: SourceLocation = #_sourceLocation, _ isWanted: (Recording.State?) -> Bool
  ) throws {
    try wait("the state of \(name)", sourceLocation: sourceLocation) { isWanted($0.recording(named: name)?.state) }
  }

  func waitUntilReady(_ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    try waitForState(name, sourceLocation: sourceLocation) { $0 == .ready }
  }

  func move(seconds: Double) {
    clock.advance(by: .seconds(seconds))
    library.wake()
  }

  subscript(name: String) -> Recording? { library.snapshot.recording(named: name) }

  /// The reason why a recording is refused; nil if it is not.
  func reason(_ name: String) -> String? {
    if case .refused(let reason, _) = self[name]?.state { reason } else { nil }
  }

  var states: [String: String] {
    Dictionary(library.snapshot.recordings.map { ($0.name, "\($0.state)") }) { "\($0), \($1)" }
  }

  /// Returns all served bytes of a recording.
  func served(_ name: String) throws -> [UInt8] {
    guard let recording = self[name] else { throw CocoaError(.fileNoSuchFile) }
    let representation = try library.open(recording)
    return try representation.bytes.bytes(at: 0, count: Int(representation.bytes.length))
  }
}
