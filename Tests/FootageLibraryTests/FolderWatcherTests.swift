/// The meaning of the kernel's change events for paths.

import Foundation
import FootageSystem
import LinuxTestSupport
import Testing

@testable import FootageLibrary

@Suite struct FolderWatcherTests {
  let folder: TemporaryFolder
  let place: LibraryPaths
  var watcher: FolderWatcher

  init() throws {
    folder = try TemporaryFolder()
    place = LibraryPaths(recordings: folder.location, state: folder.path(".footage"))
    watcher = FolderWatcher(try FolderChanges(), place)
    try watcher.watch(.root)
  }

  func path(_ text: String) -> RelativePath { RelativePath(text) }

  @Test mutating func `each change is told for the path that it concerns`() throws {
    try put([1], folder.path("a.mp4"))
    #expect(watcher.events() == [.created(path("a.mp4")), .modified(path("a.mp4")), .finished(path("a.mp4"))])
    try FileTree.rename(folder.path("a.mp4"), replacing: folder.path("b.MOV"))
    #expect(watcher.events() == [.gone(path("a.mp4")), .moved(path("b.MOV"))])
    try FileTree.remove(folder.path("b.MOV"))
    #expect(watcher.events() == [.gone(path("b.MOV"))])
  }

  @Test mutating func `what is no recording is not told`() throws {
    try put([1], folder.path("a.txt"))
    try put([1], folder.path(".hidden"))
    try makeFolder(folder.path(".footage"))
    #expect(watcher.events() == [])
    try FileTree.removeFolder(folder.path(".footage"))
    #expect(watcher.events() == [.hiddenFolderGone(path(".footage"))])
  }

  @Test mutating func `a folder that was moved away is told of no more, nor what is in it`() throws {
    let outside = try TemporaryFolder()
    try makeFolder(folder.path("cam/day"))
    try watcher.watch(path("cam"))
    try watcher.watch(path("cam/day"))
    _ = watcher.events()
    try FileTree.rename(folder.path("cam"), replacing: outside.path("cam"))
    #expect(watcher.events() == [.folder(path("cam"))])
    // Another folder takes its place before the events are read.
    try makeFolder(folder.path("cam"))
    try watcher.watch(path("cam"))
    _ = watcher.events()
    try put([1], outside.path("cam/a.mp4"))
    try put([1], outside.path("cam/day/a.mp4"))
    #expect(watcher.events() == [])
    try put([1], folder.path("cam/b.mp4"))
    #expect(watcher.events().last == .finished(path("cam/b.mp4")))
  }

  @Test mutating func `the end of the recordings folder is told`() throws {
    try FileTree.rename(folder.location, replacing: folder.location + "-moved")
    #expect(watcher.events() == [.rootGone])
    try FileTree.removeFolder(folder.location + "-moved")
    #expect(watcher.events().contains(.rootGone))
  }
}
