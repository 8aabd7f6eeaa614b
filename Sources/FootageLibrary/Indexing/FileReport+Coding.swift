internal import FootageBase
internal import FootageMedia
internal import FootageSystem

/// The encoding of a report as it is sent by the process that examined the file. It is decoded as untrusted input.
extension FileReport {
  /// The maximum size of a report, in bytes.
  static let encodedLimit: UInt64 = 32 << 20
  var encoded: [UInt8] {
    var writer = MessageWriter()
    switch verdict {
    case .ready(let content):
      writer.integer(0)
      content.write(into: &writer)
    case .incomplete(let reason):
      writer.integer(1)
      writer.text(reason)
    case .refused(let reason):
      writer.integer(2)
      writer.text(reason)
    case .unreadable(let reason, let number):
      writer.integer(3)
      writer.text(reason)
      writer.integer(number.map { UInt64(UInt32(bitPattern: $0.rawValue)) + 1 } ?? 0)
    }
    return writer.bytes
  }

  /// - Parameters:
  ///   - fileLength: the end that no range may exceed.
  ///   - preambleLength: the length of the preamble that came with the report.
  ///   - indexLength: the length of the sample index that came with the report.
  /// - Returns: nil if the bytes are not a report, or the report contradicts itself.
  init?(encoded bytes: [UInt8], fileLength: UInt64, preambleLength: UInt64, indexLength: UInt64) {
    var reader = MessageReader(bytes)
    switch reader.integer() {
    case 0:
      guard
        let content = Content(
          &reader, fileLength: fileLength, preambleLength: preambleLength, indexLength: indexLength,
          rangeLimit: Self.rangeLimit)
      else { return nil }
      verdict = .ready(content)
    case 1:
      guard let reason = reader.text() else { return nil }
      verdict = .incomplete(reason)
    case 2:
      guard let reason = reader.text() else { return nil }
      verdict = .refused(reason)
    case 3:
      guard let reason = reader.text(), let number = reader.integer() else { return nil }
      verdict = .unreadable(
        reason, number == 0 ? nil : Errno(rawValue: CInt(truncatingIfNeeded: number - 1)))
    default: return nil
    }
    guard reader.isAtEnd else { return nil }
  }
}

extension FileReport.Content {
  fileprivate func write(into writer: inout MessageWriter) {
    writer.text(tag)
    writer.integer(composition.preambleLength)
    let body = composition.body
    writer.integer(UInt64(body.count))
    for range in body {
      writer.integer(range.lowerBound)
      writer.integer(range.upperBound)
    }
    writer.text(mediaType.rawValue)
    writer.integer(isRecovered ? 1 : 0)
    writer.optional(index) { writer, index in
      writer.integer(index.length)
      writer.optional(index.shift) { $0.integer(UInt64($1)) }
      writer.optional(index.keyInterval) { $0.number($1) }
    }
    writer.integer(UInt64(notes.count))
    for note in notes { writer.text(note) }
    writer.optional(movie.creationTime) { $0.integer(UInt64(bitPattern: $1)) }
    writer.number(movie.duration)
    writer.optional(movie.video) { writer, video in
      writer.text(video.codec)
      writer.integer(UInt64(clamping: video.width))
      writer.integer(UInt64(clamping: video.height))
      writer.optional(video.frameRate) { $0.number($1) }
      writer.optional(video.rotation) { $0.integer(UInt64(clamping: $1)) }
    }
    writer.optional(movie.audio) { writer, audio in
      writer.text(audio.codec)
      writer.integer(UInt64(clamping: audio.sampleRate))
      writer.integer(UInt64(clamping: audio.channels))
    }
    writer.integer(UInt64(movie.videoTracks.count))
    for track in movie.videoTracks {
      writer.integer(UInt64(clamping: track.number))
      writer.text(track.codec)
      writer.integer(UInt64(clamping: track.width))
      writer.integer(UInt64(clamping: track.height))
      writer.optional(track.frameRate) { $0.number($1) }
    }
  }

  fileprivate init?(
    _ reader: inout MessageReader, fileLength: UInt64, preambleLength: UInt64, indexLength: UInt64, rangeLimit: Int
  ) {
    guard let tag = reader.text(), tag.utf8.count == 32,
      tag.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0 }
      ),
      reader.integer() == preambleLength,
      let body = reader.list(
        limit: rangeLimit,
        { reader -> Range<UInt64>? in
          guard let lower = reader.integer(), let upper = reader.integer(), lower < upper, upper <= fileLength
          else { return nil }
          return lower..<upper
        }),
      let composition = Composition(preambleLength: preambleLength, body: body),
      let mediaType = reader.text().flatMap(Recording.MediaType.init(rawValue:)), let recovered = reader.integer(),
      let index = reader.optional({ IndexSummary(&$0) }), index?.length ?? 0 == indexLength,
      let notes = reader.list(limit: 64, { $0.text() }),
      let creationTime = reader.optional({ $0.integer().map { Int64(bitPattern: $0) } }),
      let duration = reader.number(), duration.isFinite, duration >= 0,
      let video = reader.optional({ VideoFormat(&$0) }), let audio = reader.optional({ AudioFormat(&$0) }),
      let videoTracks = reader.list(limit: VideoTrack.numbers.count, { VideoTrack(&$0) })
    else { return nil }
    self.init(
      tag: tag, composition: composition, mediaType: mediaType,
      movie: MovieSummary(
        creationTime: creationTime, duration: duration, video: video, audio: audio, videoTracks: videoTracks),
      isRecovered: recovered != 0, index: index, notes: notes)
  }
}

extension IndexSummary {
  fileprivate init?(_ reader: inout MessageReader) {
    guard let length = reader.integer(),
      let shift = reader.optional({ $0.integer().flatMap(UInt32.init(exactly:)) }),
      let keyInterval = reader.optional({ $0.number() })
    else { return nil }
    self.init(checking: length, shift: shift, keyInterval: keyInterval)
  }
}

extension VideoFormat {
  /// The rotations in degrees clockwise.
  private static let rotations: Set<UInt64> = [90, 180, 270]

  fileprivate init?(_ reader: inout MessageReader) {
    guard let codec = reader.text(), let width = reader.integer(), let height = reader.integer(),
      let frameRate = reader.optional({ $0.number().flatMap { $0.isFinite ? $0 : nil } }),
      let rotation = reader.optional({ $0.integer().flatMap { Self.rotations.contains($0) ? Int($0) : nil } })
    else { return nil }
    self.init(
      codec: codec, width: Int(clamping: width), height: Int(clamping: height), frameRate: frameRate,
      rotation: rotation)
  }
}

extension VideoTrack {
  fileprivate init?(_ reader: inout MessageReader) {
    guard let number = reader.integer(), let codec = reader.text(), let width = reader.integer(),
      let height = reader.integer(),
      let frameRate = reader.optional({ $0.number().flatMap { $0.isFinite ? $0 : nil } }),
      Self.numbers.contains(Int(clamping: number))
    else { return nil }
    self.init(
      number: Int(clamping: number), codec: codec, width: Int(clamping: width), height: Int(clamping: height),
      frameRate: frameRate)
  }
}

extension AudioFormat {
  fileprivate init?(_ reader: inout MessageReader) {
    guard let codec = reader.text(), let sampleRate = reader.integer(), let channels = reader.integer() else {
      return nil
    }
    self.init(codec: codec, sampleRate: Int(clamping: sampleRate), channels: Int(clamping: channels))
  }
}
