/// A reader of files in child processes. If a file crashes its child process, no other file is affected.

internal import FootageBase
internal import FootageMedia
package import FootageSystem
internal import Synchronization

/// A reader of files in child processes. Each lane has its own child, which is started when it is first needed and
/// restarted after it dies. A child reads one file at a time, so that its death can be attributed to that file.
package final class ChildFileIndexer: FileIndexer {
  private struct State {
    /// The idle child of each lane.
    var idle: [IndexingLane: SocketChild] = [:]
    var busy: [ObjectIdentifier: SocketChild] = [:]
    /// The number of examinations that take long; a separate thread waits for each.
    var lateCount = 0
    /// The number of children that ended during an examination, each of which had to be restarted.
    var restartCount: UInt64 = 0
    /// True if the kernel filters the system calls of children; nil until the first check of a child that has installed
    /// its filter.
    var isFiltered: Bool?
    var isStopped = false
  }

  private let state = Mutex(State())
  private let program: String

  /// The maximum number of examinations that may take long at the same time; any further one is postponed.
  private static let lateLimit = 4
  /// The number of children that may be killed from outside during one examination before it is postponed.
  private static let killLimit = 3
  /// The largest preamble or index that is read into memory, in bytes. Larger ones stay in files. If each small one
  /// stayed in a file, too many descriptors would be needed.
  private static let copiedBytes: UInt64 = 64 << 10

  /// - Parameter program: the path to this program, which runs `FileReaderProcess` under its command.
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

  /// Returns the output of `footage inspect` for a file, as text or as JSON. Blocks.
  ///
  /// - Parameter track: the number of the video track whose film is judged, from 1 on; nil for the one that films show.
  /// - Throws: `LibraryError.unreadable` if the file has no such track, or crashed the process that was reading it.
  package func inspection(
    of file: RandomAccessFile, asJSON: Bool, track: Int? = nil
  ) throws(LibraryError) -> [UInt8] {
    let look = Look(file: file, request: .inspect(asJSON: asJSON, track: track), lane: .whole)
    let reason: String
    switch run(look, patience: nil, late: { _ in }) {
    case .answer(let answer, let reply) where reply.preambleLength > 0:
      return try mapError(LibraryError.storage, try answer.bytes(at: 0, count: Int(reply.preambleLength)))
    case .answer(let answer, let reply):
      let words = try mapError(
        LibraryError.storage, try answer.bytes(at: reply.reportRange.lowerBound, count: Int(reply.reportLength)))
      reason = String(decoding: words, as: UTF8.self)
    case .died(let words): reason = words
    case .unavailable(let words): reason = words
    case nil: reason = "it was not examined"
    }
    throw .unreadable(file: file.path, reason: reason)
  }

  /// Lists the samples of a file, one per line, as text or as JSON. It proceeds page by page, so that a list of any
  /// length needs only the memory for one page. Blocks.
  ///
  /// - Parameters:
  ///   - keysOnly: true to list only the key frames of video tracks.
  ///   - take: called with each page; returns whether to continue.
  /// - Throws: `LibraryError.unreadable` if the file has no samples that are served, or crashed the process that was
  ///   reading it.
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
        case .more, nil: reason = "the process that reads files returned an invalid list"
        }
      case .died(let words): reason = words
      case .unavailable(let words): reason = words
      case nil: reason = "it was not examined"
      }
      throw .unreadable(file: file.path, reason: reason)
    }
  }

  func grow(_ file: RandomAccessFile, key: UInt64, isClosed: Bool) -> GrowthOutcome {
    let look = Look(file: file, request: .grow(key: key, isClosed: isClosed), lane: .films)
    switch run(look, patience: nil, late: { _ in }) {
    case .died(let words): return .over(words)
    case .unavailable(let words): return .unavailable(words)
    case nil: return .unavailable("it was not examined")
    case .answer(let answer, let reply):
      do throws(StorageError) {
        guard reply.preambleLength <= FileReaderProcess.growthBytes,
          let report = GrowthReport(
            encoded: try answer.bytes(at: reply.reportRange.lowerBound, count: Int(reply.reportLength)))
        else { return .unavailable("the process that reads files returned an invalid report") }
        return GrowthOutcome(report, try answer.bytes(at: 0, count: Int(reply.preambleLength)))
      } catch {
        return .unavailable(error.description)
      }
    }
  }

  func samples(of file: RandomAccessFile, track: Int) -> TrackSamples {
    let look = Look(file: file, request: .track(track), lane: .whole)
    switch run(look, patience: nil, late: { _ in }) {
    case .died(let words): return .none(words)
    case .unavailable(let words): return .unavailable(words)
    case nil: return .unavailable("it was not examined")
    case .answer(let answer, let reply):
      do throws(StorageError) {
        if let index = try Self.part(reply.indexRange, of: answer) { return .index(index) }
        let words = try answer.bytes(at: reply.reportRange.lowerBound, count: Int(reply.reportLength))
        return .none(String(decoding: words, as: UTF8.self))
      } catch { return .unavailable(error.description) }
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
    /// The number of children that died because of this examination.
    var deaths = 0
    /// The number of children that were killed from outside during this examination.
    var kills = 0
  }

  private enum Outcome: Sendable {
    case answer(RandomAccessFile, ReaderReply)
    case died(String)
    case unavailable(String)
  }

  /// - Returns: nil if it takes longer than the caller's patience.
  private func run(_ look: Look, patience: Int?, late: @escaping @Sendable (Outcome) -> Void) -> Outcome? {
    var look = look
    // A child that was killed while it was idle says nothing about this file.
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
          return .unavailable("too many slow files are already being examined")
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

  /// Waits for the answer on a separate thread, so that no other file has to wait.
  ///
  /// - Returns: false if too many threads are waiting already.
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
          finish(&look, child, answer) ?? run(look, patience: nil) { _ in } ?? .unavailable("it was not examined")
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
  /// - Returns: nil if the child died, and the examination should be retried with another child.
  private func finish(_ look: inout Look, _ child: SocketChild, _ answer: MemoryFile) -> Outcome? {
    guard let message = child.receive(capacity: ReaderReply.limit) else {
      // The child's fate is already decided, so this kill cannot be mistaken for the cause of its end.
      let end = child.end(killing: true)
      state.withLock { state in
        state.busy[ObjectIdentifier(child)] = nil
        if !state.isStopped { state.restartCount += 1 }
      }
      let overrun = child.overrun ?? (end.isOutOfTime ? .processorTime : nil)
      guard end.isOwnDoing || overrun != nil else {
        look.kills += 1
        return look.kills < Self.killLimit && !isStopped
          ? nil : .unavailable("the process that reads files has ended: \(end)")
      }
      look.deaths += 1
      guard look.deaths > 1 else {
        // A recording whose samples take too much work can still be played.
        if case .index(let isQuickTime, _) = look.request {
          look.request = .index(isQuickTime: isQuickTime, withSamples: false)
        }
        return nil
      }
      let reason =
        switch overrun {
        case .processorTime: "reading it takes more processor time than a file may use"
        case .idleness: "the process that reads files was idle for too long while reading it"
        case nil: "it crashes the process that reads files (\(end))"
        }
      return .died(reason)
    }
    noteFilter(of: child)
    giveBack(child, look.lane)
    do throws(StorageError) {
      let sealed = try answer.sealed()
      guard let reply = ReaderReply(encoded: message), sealed.length == reply.reportRange.upperBound else {
        return .unavailable("the process that reads files returned an invalid answer")
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
            outcome: .unavailable("the process that reads files returned an invalid report"))
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

  /// Returns a part of the answer; nil if it is empty.
  private static func part(
    _ range: Range<UInt64>, of answer: RandomAccessFile
  ) throws(StorageError) -> BoundComposition? {
    guard !range.isEmpty else { return nil }
    guard range.upperBound - range.lowerBound <= copiedBytes else { return BoundComposition(answer, range) }
    return BoundComposition(try answer.bytes(at: range.lowerBound, count: range.count))
  }

  // MARK: Children

  /// - Returns: nil if the examiner was stopped.
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

  /// Checks once, on a child that has answered, whether the kernel filters its system calls. The result applies to all
  /// children, because it depends only on the kernel.
  private func noteFilter(of child: SocketChild) {
    guard state.withLock({ $0.isFiltered == nil }), let isFiltered = child.isFiltered else { return }
    state.withLock { $0.isFiltered = isFiltered }
  }

  private func giveBack(_ child: SocketChild, _ lane: IndexingLane) {
    state.withLock { state in
      state.busy[ObjectIdentifier(child)] = nil
      // A second child of the lane is dropped; it was started while the other was busy.
      if state.idle[lane] == nil, !state.isStopped { state.idle[lane] = child }
    }
  }

  /// Kills a child. One that is waiting for a disk may take long to end, so a separate thread waits for it.
  private func discard(_ child: SocketChild) {
    state.withLock { $0.busy[ObjectIdentifier(child)] = nil }
    child.kill()
    guard let thread = try? Thread.start("reader's end", { _ = child.end(killing: true) }) else { return }
    thread.detach()
  }
}
