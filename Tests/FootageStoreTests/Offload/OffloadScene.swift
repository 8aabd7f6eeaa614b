import FootageAPI
import Foundation
import FootageBase
import FootageFetching
import FootageServing
import FootageSystem
@testable import FootageStore
import FootageTLS
import LinuxTestSupport
import Testing

@testable import FootageLibrary

/// A folder with recordings that is offloaded into a store in memory, by a server that a test starts and ends at will.
final class OffloadScene {
  let folder: TemporaryFolder
  let store: FakeObjectStore
  let log = EventLog<LibraryEvent>()
  private let key: TLSServerContext
  private(set) var library: RecordingLibrary?
  private(set) var service: OffloadService?

  /// - Parameter key: the name of the robot's key in the test material.
  init(key: String = "robot", folder: TemporaryFolder? = nil, store: FakeObjectStore? = nil) throws {
    self.key = try TLSServerContext.make(
      TLSServerConfiguration(
        certificatePEM: try Material.file("\(key).pem"), privateKeyPEM: try Material.file("\(key).key")))
    self.folder = try folder ?? TemporaryFolder()
    if let store {
      self.store = store
      return
    }
    self.store = try FakeObjectStore()
    self.store.withContents { $0.smallestPart = 0 }
  }

  deinit { stop() }

  /// Opens the library of the folder. A reading thread of a server that has ended may hold the folder for a moment
  /// longer.
  func open() async throws -> RecordingLibrary {
    try await eventually("the folder to be nobody's") { [log, folder] () async throws -> RecordingLibrary? in
      do throws(LibraryError) {
        return try RecordingLibrary(
          recordings: folder.location, role: .server, reading: .inProcess, log: { log.append($0) })
      } catch {
        guard case .alreadyServed = error else { throw error }
        return nil
      }
    }
  }

  func start() async throws {
    let log = log
    let library = try await open()
    let pins = key.certificate.publicKeyPin.map { [$0] } ?? []
    let settings = OffloadSettings(
      address: try StoreAddress(store.address("fleet")),
      key: try StoreKey(accessKey: FakeObjectStore.accessKey, secret: Secret(Array(FakeObjectStore.secret.utf8))),
      trust: .systemAuthorities, cacheBytes: 16 << 20, robot: "robot7")
    let service = try OffloadService(settings, of: library, pins: { pins }, log: { log.append($0) })
    try library.start { _ in service.lookAgain() }
    let key = key
    let signer = ManifestSigner(key: try key.publicKeyInfo) { (bytes) throws(ManifestSigningFailure) in
      do throws(TLSError) { return try key.sign(bytes) } catch { throw ManifestSigningFailure(error.description) }
    }
    try library.makeManifests(always: false) { () throws(ManifestSigningFailure) in signer }
    (self.library, self.service) = (library, service)
    try service.start()
  }

  func stop() {
    service?.stop()
    library?.stop()
    (library, service) = (nil, nil)
  }

  func wait(_ what: String, _ isThere: () async throws -> Bool) async throws {
    try await eventually("\(what): \(String(describing: service?.progress.report)), \(log.all)") {
      (try? await isThere()) ?? false
    }
  }

  subscript(name: String) -> Recording? { library?.snapshot.recording(named: name) }

  /// Requests a task and waits for its results.
  func ask(_ verb: OffloadTask.Verb, _ names: [String]?) async throws -> [OffloadTask.State] {
    let service = try #require(service)
    let numbers = try #require(await service.ask(verb, of: names))
    try await wait("\(verb) of \(names ?? [])") {
      service.progress.report.tasks.filter { numbers.contains($0.number) && $0.isOver }.count == numbers.count
    }
    return service.progress.report.tasks.filter { numbers.contains($0.number) }.map { task in
      task.state == .done ? .done(task.text ?? "") : .failed(task.text ?? "")
    }
  }

  /// Writes a file with an age at which it no longer looks as if it were being written.
  func put(_ bytes: [UInt8], _ name: String) throws {
    let path = folder.path(name)
    try FileTree.createFolders(FileTree.folder(of: path))
    try RecordedFile.write(bytes, to: path)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -1_000)], ofItemAtPath: path)
  }

  func contents(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: folder.path(name))))
  }

  func served(_ name: String) async throws -> [UInt8] { try await view(.movie(version: nil), of: name) }

  /// Deletes all recordings that may be deleted, in one turn, on a thread of its own, because the store is asked
  /// meanwhile.
  func makeRoom(isStrict: Bool) async throws {
    let library = try #require(library)
    _ = try DiskMarker.put(on: folder.location)
    var rules = RetentionRules(maxSize: 0, keepAtLeast: 0)
    rules.onlyStored = isStrict
    let (made, access) = (rules, library.retentionAccess { false })
    await withCheckedContinuation { continuation in
      Foundation.Thread.detachNewThread {
        _ = RetentionWorker(access, rules: made).turn()
        continuation.resume()
      }
    }
  }

  /// Removes everything that the store has of a recording.
  func lose(_ name: String) {
    store.withContents { contents in
      for key in contents.keys where key.hasPrefix("fleet/robot7/\(name)/") { contents[key] = nil }
    }
  }

  /// Returns a view's bytes. It runs on a thread of its own, because reading from the store blocks, and the tests share
  /// few threads.
  func view(_ view: RecordingView, of name: String) async throws -> [UInt8] {
    let (recording, library) = (try #require(self[name]), try #require(library))
    return try await withCheckedThrowingContinuation { continuation in
      Foundation.Thread.detachNewThread {
        continuation.resume(
          with: Result {
            let bytes = try library.open(recording, view).bytes
            return try bytes.bytes(at: 0, count: Int(bytes.length))
          })
      }
    }
  }
}
