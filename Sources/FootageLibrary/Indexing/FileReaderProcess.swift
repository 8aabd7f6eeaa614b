internal import FootageDigest
internal import FootageBase
internal import FootageMedia
internal import FootageSystem

/// The process that reads files, so that their contents cannot crash the server.
package enum FileReaderProcess {
  /// The name of the command with which this program starts the child process that reads files.
  package static let command = "read-files"
  /// The maximum memory that may be allocated, in bytes. Half of the control group's memory applies if that is less.
  private static let memoryBytes: UInt64 = 1 << 30
  /// The longest answer, in bytes: a preamble, a sample index and a report.
  static let answerBytes: UInt64 = 512 << 20
  /// The longest report of a film's growth, in bytes: the index of the longest film, when it is read from the start.
  static let growthBytes: UInt64 = 160 << 20
  /// The processor time that every file may take, in milliseconds.
  private static let baseMilliseconds: UInt64 = 2_000
  /// The number of bytes read for which another second of processor time is allowed. They are the bytes of `moov` and
  /// of fragments, and those that are read along with them.
  private static let bytesPerSecond: UInt64 = 10 << 20
  /// The most processor time for a file, in milliseconds, however many bytes the process reports to have read. It
  /// includes time for the process to start.
  private static let mostMilliseconds = Int64(2 * baseMilliseconds + answerBytes * 1_000 / bytesPerSecond)
  /// The time that the process may spend on a file without computing or waiting for a disk, in milliseconds.
  private static let idleMilliseconds: Int64 = 120_000
  /// The time that the process may spend idle on a film's growth, for which viewers wait, in milliseconds.
  private static let idleFilmMilliseconds: Int64 = 30_000

  static func limits(of lane: IndexingLane) -> SocketChild.TimeLimits {
    SocketChild.TimeLimits(
      processorMilliseconds: mostMilliseconds,
      idleMilliseconds: lane == .films ? idleFilmMilliseconds : idleMilliseconds)
  }

  /// Reads one file after another until the other end of descriptor 3 is closed.
  package static func run() {
    let parent = ParentSocket()
    // Trigger lazy loading now: after this, nothing more can be opened.
    _ = SHA256.hash([])
    let share = (ResourceLimits.sharedMemory ?? .max) / 2
    parent.confine(memoryBytes: min(memoryBytes, share), answerBytes: answerBytes)
    var listing: KeptListing?
    let growing = GrowingFiles()
    while let request = parent.receive(capacity: ReaderRequest.limit) {
      let reply = answer(request, parent, &listing, growing)
      parent.reply(reply?.encoded ?? [])
    }
  }

  /// - Returns: nil if the answer could not be written.
  private static func answer(
    _ request: consuming ParentSocket.Request, _ parent: ParentSocket, _ listing: inout KeptListing?,
    _ growing: GrowingFiles
  ) -> ReaderReply? {
    guard let message = ReaderRequest(encoded: request.message) else { return nil }
    let file = TimedSource(request.file, parent)
    let preamble: [UInt8]
    var index: [UInt8] = []
    let report: [UInt8]
    switch message {
    case .index(let isQuickTime, let withSamples):
      let found = FileReport.of(
        file, request.file.openingStatus.version, isQuickTime: isQuickTime, withSamples: withSamples)
      preamble = found.preamble
      index = found.index
      report = found.report.encoded
    case .inspect(let asJSON, let track):
      let inspection = Inspection.of(file, track: track)
      if let track, !inspection.tracks.contains(where: { $0.videoTrack == track }) {
        preamble = []
        report = Array("it has no video track \(track) that can be shown".utf8)
      } else {
        if asJSON {
          var json = JSONWriter()
          inspection.write(json: &json)
          preamble = json.bytes
        } else {
          preamble = Array(inspection.text.utf8)
        }
        report = []
      }
    case .samples(let form, let position):
      let version = request.file.openingStatus.version
      let page = samples(of: file, version, form, from: position, &listing)
      preamble = page.lines
      report = page.report.encoded
    case .grow(let key, let isClosed):
      let found = growing.look(file, key: key, isClosed: isClosed)
      preamble = found.growth
      report = found.report.encoded
    case .track(let number):
      let made = TrackSamples.make(of: file, track: number)
      preamble = []
      index = made.index
      report = Array(made.reason.utf8)
    }
    let reply = ReaderReply(
      preambleLength: UInt64(preamble.count), indexLength: UInt64(index.count), reportLength: UInt64(report.count))
    do throws(StorageError) {
      try request.answer.write(preamble, at: 0)
      try request.answer.write(index, at: reply.indexRange.lowerBound)
      try request.answer.write(report, at: reply.reportRange.lowerBound)
    } catch {
      return nil
    }
    return reply
  }

  /// A list of samples that is not finished. The next page continues it, so that the tables need not be read again.
  private struct KeptListing {
    var listing: SampleListing
    let version: FileVersion
  }

  private static func samples(
    of file: some ByteSource, _ version: FileVersion, _ form: SampleListing.Form, from position: SampleListing.Position,
    _ kept: inout KeptListing?
  ) -> (lines: [UInt8], report: SampleReport) {
    let former = kept.take()
    do throws(MP4Error) {
      var listing: SampleListing
      if let former, former.version == version, former.listing.form == form, former.listing.position == position {
        listing = former.listing
      } else {
        listing = try SampleListing(of: file, form, from: position)
      }
      let lines = try listing.next(SampleReport.pageSamples, from: file)
      guard let next = listing.position else { return (lines, .end) }
      kept = KeptListing(listing: listing, version: version)
      return (lines, .more(next))
    } catch {
      return ([], .failed(error.description))
    }
  }

  /// A source that counts the bytes read, which are `moov` and the bytes around the headers of fragments, and requests
  /// time for them.
  private final class TimedSource: ByteSource {
    private let file: RandomAccessFile
    private let parent: ParentSocket
    private let started = Process.workedNanoseconds
    private var bytesRead: UInt64 = 0
    /// The number of bytes for which time was already requested.
    private var bytesAllowed: UInt64 = 0

    /// The number of bytes after which more time is requested, because fragments are read in small pieces.
    private static let step: UInt64 = 1 << 20

    init(_ file: RandomAccessFile, _ parent: ParentSocket) {
      self.file = file
      self.parent = parent
      askForTime(baseMilliseconds)
    }

    /// - Parameter milliseconds: the processor time for the whole file.
    private func askForTime(_ milliseconds: UInt64) {
      parent.askForProcessorTime(until: started + Int64(milliseconds) * 1_000_000)
    }

    var length: UInt64 { file.length }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) {
      bytesRead = min(bytesRead + UInt64(buffer.count), answerBytes)
      if bytesRead - bytesAllowed >= Self.step {
        bytesAllowed = bytesRead
        askForTime(baseMilliseconds + bytesRead * 1_000 / bytesPerSecond)
      }
      unsafe try file.read(at: offset, into: buffer)
    }
  }
}
