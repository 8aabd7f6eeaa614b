/// The process that reads files: its rights, its end, and the proof that its end concerns only one file.
import Foundation
import FootageSystem
import Synchronization
import LinuxTestSupport
import Testing

@testable import FootageLibrary

@Suite struct FileReaderTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Returns a program that waits for a file and then runs this script.
  func reader(_ script: String, request: String = "/dev/null") throws -> ChildFileIndexer {
    ChildFileIndexer(program: try program("head -c 2 <&3 >>\(request)\n\(script)"))
  }

  private func program(_ script: String) throws -> String {
    try folder.addScript("reader", "#!/bin/bash\n\(script)\n")
    return folder.path("reader")
  }

  func clip() throws -> RandomAccessFile { try RandomAccessFile(path: Fixtures.clip()) }

  func examine(_ examiner: ChildFileIndexer) throws -> FileExamination.Outcome {
    FileExamination.of(try clip(), isQuickTime: false, by: examiner).outcome
  }

  @Test func `what it finds is what this process would find, preamble and index and all`() throws {
    let examiner = ChildFileIndexer(program: FootageProgram.path)
    let file = try clip()
    for _ in 0..<3 {
      let theirs = FileExamination.of(file, isQuickTime: false, by: examiner)
      let ours = FileExamination.of(file, isQuickTime: false, by: LocalFileIndexer())
      guard case .report(let theirReport) = theirs.outcome, case .report(let ourReport) = ours.outcome else {
        Issue.record("\(theirs.outcome)")
        return
      }
      #expect(theirReport == ourReport)
      let heads = try [theirs, ours].map { try DerivedFileStore.digest(of: #require($0.files.preamble)) }
      #expect(heads[0] == heads[1])
      let indexes = try [theirs, ours].map { try DerivedFileStore.digest(of: #require($0.files.index)) }
      #expect(indexes[0] == indexes[1])
    }
  }

  @Test(arguments: [
    (signal: "ILL", words: "signal 4"), ("SEGV", "signal 11"), ("ABRT", "signal 6"), ("PROF", "processor time"),
  ])
  func `a file that ends it twice by its own doing is to blame`(signal: String, words: String) throws {
    guard case .died(let reason) = try examine(reader("kill -\(signal) $$")) else {
      Issue.record("it did not die")
      return
    }
    #expect(reason.contains(words), "\(reason)")
  }

  @Test func `a file that ends it once is read again`() throws {
    let flag = folder.path("flag")
    let script = """
      if [ -e \(flag) ]; then exec \(FootageProgram.path) "$@"; fi
      head -c 1 <&3 >/dev/null
      touch \(flag)
      kill -SEGV $$
      """
    guard case .report = try examine(ChildFileIndexer(program: program(script))) else {
      Issue.record("no report")
      return
    }
  }

  @Test func `a file whose samples end it is read again without them`() throws {
    let examiner = try reader("kill -SEGV $$", request: folder.path("requests"))
    guard case .died = try examine(examiner) else {
      Issue.record("it did not die")
      return
    }
    let requests = [true, false].map { ReaderRequest.index(isQuickTime: false, withSamples: $0).encoded }
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path("requests"))) == Data(requests.flatMap { $0 }))
  }

  @Test(.enabled(if: !isSanitized, "a sanitizer needs calls that are forbidden here"))
  func `a reader that the kernel lets call anything is told from one that it does not`() throws {
    let real = ChildFileIndexer(program: FootageProgram.path)
    _ = try examine(real)
    #expect(!real.isUnfiltered)
    // It answers, and has not confined itself.
    let free = try reader("printf 'what?' >&3; exec sleep 1000")
    _ = try examine(free)
    #expect(free.isUnfiltered)
    free.stop()
  }

  @Test(arguments: ["kill -KILL $$", "exit 3", "printf 'what?' >&3", "printf '%016d' 0 >&3"])
  func `an end from outside, or an answer that is none, says nothing of the file`(script: String) throws {
    guard case .unavailable = try examine(reader(script)) else {
      Issue.record("something was found out")
      return
    }
  }

  @Test func `a program that is not there is no file's fault`() throws {
    guard case .unavailable(let reason) = try examine(ChildFileIndexer(program: folder.path("none"))) else {
      Issue.record("something was found out")
      return
    }
    #expect(reason.contains("cannot start"))
  }

  @Test func `a look that takes long comes later, and ends when the server does`() throws {
    let examiner = try reader("exec sleep 1000")
    let late = Mutex<[FileExamination]>([])
    let answer = examiner.examine(try clip(), isQuickTime: false, lane: .whole, patience: 50) { examination in
      late.withLock { $0.append(examination) }
    }
    #expect(answer == nil)
    examiner.stop()
    try eventually("the late answer") { late.withLock { $0.count } == 1 }
    guard case .unavailable = late.withLock({ $0[0].outcome }) else {
      Issue.record("something was found out")
      return
    }
  }

  // MARK: The real one

  /// Returns the readers of a server.
  private func readers(of server: Server) throws -> [Int32] {
    let found = try Command("pgrep", "-P", "\(server.process.processIdentifier)", "-f", "read-files").run()
    return found.output.split(separator: "\n").compactMap { Int32($0) }
  }

  @Test func `it has nothing but its socket, may call nothing but reading, and ends with the server`() throws {
    let server = try Server()
    defer { server.kill() }
    try server.addClip("a.mp4")
    try server.waitForState("ready", of: "a")
    let reader = try #require(try readers(of: server).first)
    let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(reader)/fd").sorted()
    #expect(descriptors == ["0", "1", "2", "3"])
    func target(_ descriptor: String) throws -> String {
      try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(reader)/fd/\(descriptor)")
    }
    #expect(try target("0").hasPrefix("pipe:"))
    #expect(try target("1") == "/dev/null" && target("2") == "/dev/null")
    #expect(try target("3").hasPrefix("socket:"))
    if !isSanitized {
      // A thread without the filter could do what the others must not.
      let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(reader)/task")
      #expect(threads == ["\(reader)"])
      for thread in threads {
        let status = try text(of: "/proc/\(reader)/task/\(thread)/status")
        #expect(status.contains("NoNewPrivs:\t1"))
        #expect(status.contains("Seccomp:\t2"))
        // The signal of its processor-time limit is neither blocked, ignored nor caught.
        for mask in ["SigBlk", "SigIgn", "SigCgt"] {
          let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("\(mask):\t") })
          let signals = try #require(UInt64(line.dropFirst(mask.count + 2), radix: 16))
          #expect(signals & 1 << UInt64(SIGXCPU - 1) == 0, "\(line)")
        }
      }
      #expect(try text(of: "/proc/\(reader)/oom_score_adj") == "1000\n")
    }
    // A signal that a terminal or a service manager sends to all processes is for the server to obey.
    kill(reader, SIGTERM)
    kill(reader, SIGINT)
    try server.addClip("b.mp4")
    try server.waitForState("ready", of: "b")
    #expect(try readers(of: server).contains(reader))
    // Its end does not require that any code in it runs.
    kill(reader, SIGSTOP)
    server.process.kill()
    try eventually("the reader's end") { !FileManager.default.fileExists(atPath: "/proc/\(reader)/fd/3") }
  }

  @Test func `a file that is all tables costs no more processor time than any file gets`() throws {
    let path = folder.path("tables.mp4")
    let made = try Command(
      "python3", "-B", "-c",
      "import sys; sys.path.insert(0, sys.argv[1]); from tools import hostile_files; hostile_files.processor_time(sys.argv[2])",
      Checkout.path("scripts"), path
    ).run()
    try #require(made.succeeded, "\(made.errors)")
    let examiner = ChildFileIndexer(program: FootageProgram.path)
    let file = try RandomAccessFile(path: path)
    guard case .died(let reason) = FileExamination.of(file, isQuickTime: false, by: examiner).outcome else {
      Issue.record("it was read")
      return
    }
    #expect(reason == "reading it takes more processor time than a file may use")
    // The next file gets the full processor time again.
    guard case .report = try examine(examiner) else {
      Issue.record("no report")
      return
    }
  }

  @Test func `nobody notices that it was killed`() throws {
    try withServer { server in
      for index in 0..<5 {
        try server.addClip("\(index).mp4")
        try server.waitForState("ready", of: "\(index)")
        for reader in try readers(of: server) { kill(reader, SIGKILL) }
      }
      #expect(server.lines(with: "refused").isEmpty)
      #expect(try server.status("/health") == 200)
    }
  }
}
