/// The place where a library keeps files that can be rebuilt.

import Foundation
import FootageSystem
import LinuxTestSupport
import Testing

@testable import FootageLibrary

@Suite struct DerivedPlaceTests {
  @Test(arguments: [DerivedPlace.temporary, .folder("/dev/null/none"), .inState])
  func `what is protected is known wherever the catalog is`(derived: DerivedPlace) throws {
    let (recordings, state) = (try TemporaryFolder(), try TemporaryFolder())
    try put(Samples.moovLast, recordings.path("a.mp4"))
    try age(recordings.path("a.mp4"), by: 100)
    let identity = try KeptLine.identity(of: try RandomAccessFile(path: recordings.path("a.mp4")))
    try put(Array("\(KeptLine(name: "a", identity).text)\n".utf8), state.path("kept"))
    let log = EventLog<LibraryEvent>()
    let catalog: String
    do {
      let library = try RecordingLibrary(
        recordings: recordings.location, state: state.location, derived: derived, role: .command, reading: .inProcess
      ) { log.append($0) }
      library.refresh()
      #expect(library.snapshot.recordings.map(\.isKept) == [true])
      catalog = library.place.catalog
      withExtendedLifetime(library) { #expect(FileManager.default.fileExists(atPath: catalog)) }
    }
    let isTemporary = derived != .inState
    #expect(FileManager.default.fileExists(atPath: catalog) == !isTemporary)
    let left = try FileManager.default.contentsOfDirectory(atPath: state.location)
    #expect(isTemporary == (left == ["kept"]), "\(left)")
    // A normal condition is not logged.
    #expect(log.warnings.isEmpty == (derived != .folder("/dev/null/none")), "\(log.warnings)")
  }
}
