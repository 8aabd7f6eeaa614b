/// Looks at files in child processes, which a file may end: nobody notices but the file's own row.

internal import FootageBase
internal import FootageMedia
package import FootageSystem
internal import Synchronization

/// Has a child for each lane, started when it is first needed and again when it has died. A child reads one file at a
/// time, so that a death is that file's.
package final class ChildFileIndexer: FileIndexer {
  private struct State {
    /// The child of each lane, while it has nothing to do.
    var idle: [IndexingLane: SocketChild] = [:]
    var busy: [ObjectIdentifier: SocketChild] = [:]
    /// Looks that take long, each with a thread that waits for it.
    var lateCount = 0
    /// Children that ended over a look, each of which has to be started again.
    var restartCount: UInt64 = 0
    /// True if the kernel filters what children may call; nil until one was looked at that had given itself up.
    var isFiltered: Bool?
    var isStopped = false
  }

  private let state = Mutex(State())
  private let program: String

  /// Looks that may take long at the same time; one more is put off.
  private static let lateLimit = 4
  /// Children that may be ended from outside over one look, before it is put off.
  private static let killLimit = 3
  /// A preamble or an index up to here is read into memory, in bytes: a descriptor for each file would be too many.
  private static let copiedBytes: UInt64 = 64 << 10

  /// - Parameter program: a path to this program, which runs `FileReaderProcess` under its command.
  package init(program: String = "/proc/self/exe") { self.program = program }

  deinit { stop() }

  var restartCount: UInt64 { state.withLock { $0.restartCount } }
  var isUnfiltered: Bool { state.withLock { $0.isFiltered == false } }
  var isStopped: Bool { state.withLock { $0.isStopped } }

  package func stop() {
    let children = state.withLock { state in
      state.isStopped = true
      defer { state.idle = [:] }
      return Array(state.idle.values) + state.busy.values
    }
    for child in children { child.kill() }
  }

  func examine(
    _ file: RandomAccessFile, isQuickTime: Bool, lane: IndexingLane, patience: Int?,
    late: @escaping @Sendable (FileExamination) -> Void
  ) -> FileExamination? {
    let look = Look(file: file, request: .index(isQuickTime: isQuickTime, withSamples: true), lane: lane)
    guard let outcome = run(look, patience: patience, late: { late(Self.examination(of: $0, file)) }) else {
      return nil
    }
    return Self.examination(of: outcome, file)
  }

  /// What `footage inspect` shows of a file, as text or as JSON. Blocks.
  ///
  /// - Throws: `LibraryError.unreadable` where the file ended the process that read it.
  package func inspection(of file: RandomAccessFile, asJSON: Bool) throws(LibraryError) -> [UInt8] {
    let look = Look(file: file, request: .inspect(asJSON: asJSON), lane: .whole)
    let reason: String
    switch run(look, patience: nil, late: { _ in }) {
    case .answer(let answer, let reply):
      return try mapError(LibraryError.storage, try answer.bytes(at: 0, count: Int(reply.preambleLength)))
    case .died(let words): reason = words
    case .unavailable(let words): reason = words
    case nil: reason = "nobody looked at it"
    }
    throw .unreadable(file: file.path, reason: reason)
  }

  /// The samples of a file, a line each, as text or as JSON: a page after the other, so that a list of any length needs
  /// the memory of one. Blocks.
  ///
  /// - Parameters:
  ///   - keysOnly: the key frames of pictures alone.
  ///   - take: called with each page; whether to go on.
  /// - Throws: `LibraryError.unreadable` where the file has no samples that are served, or ended the process that read
  ///   it.
  package func listSamples(
    of file: RandomAccessFile, asJSON: Bool, keysOnly: Bool, _ take: ([UInt8]) -> Bool
  ) throws(LibraryError) {
    let form = SampleListing.Form(isJSON: asJSON, hasKeysOnly: keysOnly)
    var position = SampleListing.Position.start
    while true {
      let look = Look(file: file, request: .samples(form, from: position), lane: .whole)
      let reason: String
      switch run(look, patience: nil, late: { _ in }) {
      case .answer(let answer, let reply):
        let (lines, report) = try mapError(LibraryError.storage, try Self.page(in: answer, reply))
        switch report {
        case .more(let next) where next != position:
          guard take(lines) else { return }
          position = next
          continue
        case .end:
          _ = take(lines)
          return
        case .failed(let words): reason = words
        case .more, nil: reason = "the process that reads files gave no list that can be understood"
        }
      case .died(let words): reason = words
      case .unavailable(let words): reason = words
      case nil: reason = "nobody looked at it"
      }
      throw .unreadable(file: file.path, reason: reason)
    }
  }

  func grow(_ file: RandomAccessFile, key: UInt64, isClosed: Bool) -> GrowthOutcome {
    let look = Look(file: file, request: .grow(key: key, isClosed: isClosed), lane: .films)
    switch run(look, patience: nil, late: { _ in }) {
    case .died(let words): return .over(words)
    case .unavailable(let words): return .unavailable(words)
    case nil: return .unavailable("nobody looked at it")
    case .answer(let answer, let reply):
      do throws(StorageError) {
        guard reply.preambleLength <= FileReaderProcess.growthBytes,
          let report = GrowthReport(
            encoded: try answer.bytes(at: reply.reportRange.lowerBound, count: Int(reply.reportLength)))
        else { return .unavailable("the process that reads files gave no report that can be understood") }
        return GrowthOutcome(report, try answer.bytes(at: 0, count: Int(reply.preambleLength)))
      } catch {
        return .unavailable(error.description)
      }
    }
  }

  private static func page(
    in answer: RandomAccessFile, _ reply: ReaderReply
  ) throws(StorageError) -> (lines: [UInt8], report: SampleReport?) {
    guard reply.preambleLength <= SampleReport.pageLimit else { return ([], nil) }
    let report = try answer.bytes(at: reply.reportRange.lowerBound, count: Int(reply.reportLength))
    return (try answer.bytes(at: 0, count: Int(reply.preambleLength)), SampleReport(encoded: report))
  }

  // MARK: A look

  private struct Look: Sendable {
    let file: RandomAccessFile
    var request: ReaderRequest
    let lane: IndexingLane
    /// How many children it has ended.
    var deaths = 0
    /// How many were ended from outside over it.
    var kills = 0
  }

  private enum Outcome: Sendable {
    case answer(RandomAccessFile, ReaderReply)
    case died(String)
    case unavailable(String)
  }

  /// - Returns: nil where it takes longer than the caller is patient.
  private func run(_ look: Look, patience: Int?, late: @escaping @Sendable (Outcome) -> Void) -> Outcome? {
    var look = look
    // One that was killed while it had nothing to do tells nothing of this file.
    var isFresh = false
    while true {
      do throws(StorageError) {
        let answer = try MemoryFile(name: "footage-answer")
        guard let child = try take(look.lane, isFresh: isFresh) else { return .unavailable("the server is stopping") }
        do throws(StorageError) {
          try child.send(
            look.request.encoded, reading: look.file, answeringIn: answer,
            limits: FileReaderProcess.limits(of: look.lane))
        } catch {
          discard(child)
          if isFresh { throw error }
          isFresh = true
          continue
        }
        guard child.wait(milliseconds: patience) else {
          if try waitLater(look, child, answer, late) { return nil }
          discard(child)
          return .unavailable("too many looks take long already")
        }
        guard let outcome = finish(&look, child, answer) else {
          isFresh = true
          continue
        }
        return outcome
      } catch {
        return .unavailable(error.description)
      }
    }
  }

  /// Has a thread of its own wait for the answer, so that no other file has to.
  ///
  /// - Returns: false where too many do that already.
  private func waitLater(
    _ look: Look, _ child: SocketChild, _ answer: MemoryFile, _ late: @escaping @Sendable (Outcome) -> Void
  ) throws(StorageError) -> Bool {
    let isAllowed = state.withLock { state in
      guard state.lateCount < Self.lateLimit else { return false }
      state.lateCount += 1
      return true
    }
    guard isAllowed else { return false }
    do throws(SystemError) {
      try Thread.start("slow look") { [self] in
        var look = look
        let outcome =
          finish(&look, child, answer) ?? run(look, patience: nil) { _ in } ?? .unavailable("nobody looked at it")
        state.withLock { $0.lateCount -= 1 }
        late(outcome)
      }.detach()
    } catch {
      state.withLock { $0.lateCount -= 1 }
      discard(child)
      throw StorageError(error)
    }
    return true
  }

  /// Waits for the answer.
  ///
  /// - Returns: nil where the child died, and another one is to try.
  private func finish(_ look: inout Look, _ child: SocketChild, _ answer: MemoryFile) -> Outcome? {
    guard let message = child.receive(capacity: ReaderReply.limit) else {
      // Its end is decided by now, so that this one comes too late to be taken for it.
      let end = child.end(killing: true)
      state.withLock { state in
        state.busy[ObjectIdentifier(child)] = nil
        if !state.isStopped { state.restartCount += 1 }
      }
      let overrun = child.overrun ?? (end.isOutOfTime ? .processorTime : nil)
      guard end.isOwnDoing || overrun != nil else {
        look.kills += 1
        return look.kills < Self.killLimit && !isStopped
          ? nil : .unavailable("the process that reads files is gone: \(end)")
      }
      look.deaths += 1
      guard look.deaths > 1 else {
        // A recording whose samples are too much to go through can be played all the same.
        if case .index(let isQuickTime, _) = look.request {
          look.request = .index(isQuickTime: isQuickTime, withSamples: false)
        }
        return nil
      }
      let reason =
        switch overrun {
        case .processorTime: "reading it takes more processor time than any file gets"
        case .idleness: "the process that reads files did nothing over it for longer than any file gets"
        case nil: "it ends the process that reads files (\(end))"
        }
      return .died(reason)
    }
    noteFilter(of: child)
    giveBack(child, look.lane)
    do throws(StorageError) {
      let sealed = try answer.sealed()
      guard let reply = ReaderReply(encoded: message), sealed.length == reply.reportRange.upperBound else {
        return .unavailable("the process that reads files gave no answer that can be understood")
      }
      return .answer(sealed, reply)
    } catch {
      return .unavailable(error.description)
    }
  }

  private static func examination(of outcome: Outcome, _ file: RandomAccessFile) -> FileExamination {
    switch outcome {
    case .died(let words): return FileExamination(outcome: .died(words))
    case .unavailable(let words): return FileExamination(outcome: .unavailable(words))
    case .answer(let answer, let reply):
      do throws(StorageError) {
        let bytes = try answer.bytes(at: reply.reportRange.lowerBound, count: Int(reply.reportLength))
        guard
          let report = FileReport(
            encoded: bytes, fileLength: file.length, preambleLength: reply.preambleLength,
            indexLength: reply.indexLength)
        else {
          return FileExamination(
            outcome: .unavailable("the process that reads files gave no report that can be understood"))
        }
        return FileExamination(
          outcome: .report(report),
          files: DerivedFiles(
            preamble: try part(0..<reply.preambleLength, of: answer),
            index: try part(reply.indexRange, of: answer)))
      } catch {
        return FileExamination(outcome: .unavailable(error.description))
      }
    }
  }

  /// A part of the answer; nil where it is empty.
  private static func part(
    _ range: Range<UInt64>, of answer: RandomAccessFile
  ) throws(StorageError) -> BoundComposition? {
    guard !range.isEmpty else { return nil }
    guard range.upperBound - range.lowerBound <= copiedBytes else { return BoundComposition(answer, range) }
    return BoundComposition(try answer.bytes(at: range.lowerBound, count: range.count))
  }

  // MARK: Children

  /// - Returns: nil where the examiner was stopped.
  private func take(_ lane: IndexingLane, isFresh: Bool) throws(StorageError) -> SocketChild? {
    let (idle, isStopped) = state.withLock { state in
      let idle = state.idle.removeValue(forKey: lane)
      if let idle, !isFresh { state.busy[ObjectIdentifier(idle)] = idle }
      return (isFresh ? nil : idle, state.isStopped)
    }
    if isStopped { return nil }
    if let idle { return idle }
    let child = try mapError(
      { (error: SystemError) in StorageError("start", program, .system(error.number)) },
      try SocketChild(program: program, name: "footage-reader", argument: FileReaderProcess.command))
    let isLate = state.withLock { state in
      state.busy[ObjectIdentifier(child)] = child
      return state.isStopped
    }
    if isLate { child.kill() }
    return child
  }

  /// Looks once at a child that has answered. What is so for one is so for all: the kernel does it.
  private func noteFilter(of child: SocketChild) {
    guard state.withLock({ $0.isFiltered == nil }), let isFiltered = child.isFiltered else { return }
    state.withLock { $0.isFiltered = isFiltered }
  }

  private func giveBack(_ child: SocketChild, _ lane: IndexingLane) {
    state.withLock { state in
      state.busy[ObjectIdentifier(child)] = nil
      // A second one of the lane goes; it was started while the other was busy.
      if state.idle[lane] == nil, !state.isStopped { state.idle[lane] = child }
    }
  }

  /// Ends a child. One that waits for a disk may take long to go, and nobody waits for it.
  private func discard(_ child: SocketChild) {
    state.withLock { $0.busy[ObjectIdentifier(child)] = nil }
    child.kill()
    guard let thread = try? Thread.start("reader's end", { _ = child.end(killing: true) }) else { return }
    thread.detach()
  }
}
