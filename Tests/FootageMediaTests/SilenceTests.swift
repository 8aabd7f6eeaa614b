/// Silence in place of sound, as ffmpeg reads and decodes it.

import FootageBase
import Foundation
import TestSupport
import Testing

@testable import FootageMedia

@Suite struct SilenceTests {
  /// Makes a recording of 10 seconds whose pictures come at a rate that no frame of sound divides.
  ///
  /// - Parameter sound: the options of ffmpeg for its sound, or nil for none.
  private func recording(_ sound: [String]?, hasPictures: Bool = true) throws -> Bytes {
    let folder = try TemporaryFolder()
    let path = folder.path("recording.mp4")
    var options = ["-v", "error", "-nostdin"]
    if hasPictures { options += ["-f", "lavfi", "-i", "testsrc=size=160x120:rate=30000/1001"] }
    if sound != nil { options += ["-f", "lavfi", "-i", "sine=frequency=440:sample_rate=48000"] }
    options += ["-t", "10"]
    if hasPictures { options += ["-c:v", "libx264", "-preset", "ultrafast", "-g", "60", "-pix_fmt", "yuv420p"] }
    options += (sound ?? []) + ["-strict", "-2", path]
    _ = try Command("ffmpeg", arguments: options).successfulOutput()
    return Bytes(try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  /// Returns the words of ffmpeg for the decoding of a file's sound from a time on.
  private func decoded(_ path: String, from start: String = "0") throws -> String {
    let outcome = try Command(
      "ffmpeg",
      arguments: [
        "-nostdin", "-v", "info", "-err_detect", "crccheck+bitstream+buffer+explode", "-xerror", "-ss", start, "-i",
        path, "-vn", "-af", "volumedetect", "-f", "null", "-",
      ]
    ).run()
    #expect(outcome.succeeded, "\(outcome.errors.suffix(400))")
    return outcome.errors
  }

  // MARK: In place of a recording's sound

  @Test(arguments: SoundCoding.allCases, [nil, "aac", "pcm_s16le"])
  func `a film with silence has all pictures, and sound without holes or overlaps`(
    coding: SoundCoding, own: String?
  ) throws {
    let sound = own.map { ["-c:a", $0] }
    let bytes = try recording(own == "pcm_s16le" ? ["-c:a", "pcm_s16le", "-f", "mov"] : sound)
    let film = try FilmSource(bytes)
    let views = RecordingViews(film.index, film.source)
    #expect(film.index.segmentCount > 1)
    let folder = try TemporaryFolder()
    let path = folder.path("film.mp4")
    var written = film.content(try views.initialization(0, sound: .silence(coding)).composition)
    for number in 0..<film.index.segmentCount {
      let segment = film.content(try views.segment(number, sound: .silence(coding)).composition)
      #expect(MediaChecker.violations(ofSegment: segment, initialization: written) == [], "segment \(number)")
      written += segment
    }
    try Data(written).write(to: URL(fileURLWithPath: path))
    let packets = try Packets(of: path)
    let expected = folder.path("expected.mp4")
    try Data(try film.film()).write(to: URL(fileURLWithPath: expected))
    #expect(try packets.streams[0] == Packets(of: expected).streams[0])
    let silent = try #require(packets.streams[1])
    let length = coding == .opus ? 960 : 1_024
    let times = try silent.map { try #require(Int($0.pts)) }
    let shift = Int(try #require(film.index.shift))
    #expect(times.first == shift * 48_000)
    #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == length })
    let end = Double(try #require(times.last) + length) / 48_000 - Double(shift)
    let pictures = Double(film.index.end) / Double(film.index.leading.timing.timescale)
    #expect((pictures..<pictures + 0.022).contains(end), "\(end) of \(pictures)")
    let words = try decoded(path)
    #expect(words.contains("max_volume: -91.0 dB") && words.contains("48000 Hz, stereo"), "\(words.suffix(400))")
  }

  @Test func `a film without sound has all pictures, and its labels differ`() throws {
    let film = try FilmSource(try recording(["-c:a", "aac"]))
    let views = RecordingViews(film.index, film.source)
    let folder = try TemporaryFolder()
    let path = folder.path("film.mp4")
    var written = film.content(try views.initialization(0, sound: .mute).composition)
    for number in 0..<film.index.segmentCount {
      written += film.content(try views.segment(number, sound: .mute).composition)
    }
    try Data(written).write(to: URL(fileURLWithPath: path))
    let packets = try Packets(of: path)
    #expect(packets.streams.count == 1 && packets.streams[0]?.count == 300)
    let sounds: [FilmSound] = [.own, .mute] + SoundCoding.allCases.map { .silence($0) }
    #expect(try Set(sounds.map { try views.segment(0, sound: $0).label }).count == sounds.count)
    #expect(try Set(sounds.map { try views.initialization(0, sound: $0).label }).count == sounds.count)
    for sound in sounds {
      #expect(throws: ViewError.noSuchPart) { try views.segment(film.index.segmentCount, sound: sound) }
      #expect(throws: ViewError.noSuchPart) { try views.initialization(1, sound: sound) }
    }
  }

  @Test func `sound alone has no silence in its place`() throws {
    let film = try FilmSource(try recording(["-c:a", "aac"], hasPictures: false))
    let views = RecordingViews(film.index, film.source)
    #expect(film.index.soundKind == .alone)
    for sound in [FilmSound.mute, .silence(.aac)] {
      #expect(throws: ViewError.noVideo) { try views.initialization(0, sound: sound) }
      #expect(throws: ViewError.noVideo) { try views.segment(0, sound: sound) }
    }
    #expect(throws: Never.self) { try views.segment(0) }
  }

  /// A time lapse has segments of hours.
  @Test func `a segment of any length has silence without holes, and few frames`() throws {
    let timing = TrackTiming(timescale: 1_000, origin: 0)
    let track = SilentTrack(.aac, besides: pictures(id: 1, timing))
    for end: Int64 in [1, 21, 22, 700_000, 50_000_000, Int64.max / 4] {
      let times: [Range<Int64>] = [-5..<0, 0..<end, end..<end + 6_000]
      let samples = times.map { track.samples(during: $0, of: timing, at: 500) }
      #expect(samples.allSatisfy { $0.count <= SilentSound.mostFrames })
      guard end < Int64.max / 4 else { continue }
      for (before, after) in zip(samples.joined(), samples.joined().dropFirst()) {
        check(after.decodingTime == before.decodingTime + Int64(before.duration), "\(before) and \(after)")
      }
      #expect(samples.joined().first?.decodingTime == 0)
      let last = try #require(samples[2].last)
      #expect(last.decodingTime + Int64(last.duration) - (end + 6_000) * 48 < 1_024)
    }
  }

  @Test func `the ID of the silent track is that of no other`() throws {
    for id: UInt32 in [1, 2, 3, .max] {
      #expect(SilentTrack(.aac, besides: pictures(id: id, TrackTiming(timescale: 1, origin: 0))).id != id)
    }
  }

  private func pictures(id: UInt32, _ timing: TrackTiming) -> IndexedTrack {
    IndexedTrack(
      id: id, handler: "vide", timing: timing, leastOffset: 0, edits: EditList(), movieTimescale: timing.timescale)
  }

  // MARK: FLAC

  /// Formats of FLAC: rates with and without a code, sizes of samples, channels, and sizes of frames.
  @Test(arguments: [
    ["-ar", "48000", "-ac", "2"], ["-ar", "44100", "-ac", "1"], ["-ar", "8000", "-ac", "1"],
    ["-ar", "37800", "-ac", "2"], ["-ar", "96000", "-ac", "2", "-sample_fmt", "s32"],
    ["-ar", "48000", "-ac", "6"], ["-ar", "48000", "-ac", "2", "-frame_size", "1000"],
  ])
  func `sound of FLAC that ends before the pictures goes on as silence`(format: [String]) throws {
    let bytes = try recording(["-af", "atrim=end=4", "-c:a", "flac"] + format)
    let film = try FilmSource(bytes)
    #expect(film.index.soundKind == .coded(.flac))
    let frame = try #require(film.index.silence)
    let folder = try TemporaryFolder()
    let path = folder.path("film.mp4")
    try Data(try film.film()).write(to: URL(fileURLWithPath: path))
    let packets = try Packets(of: path)
    let rate = Double(format[1]) ?? 0
    let times = try #require(packets.streams[1]).compactMap { Double($0.pts) }.map { $0 / rate }
    let end = try #require(times.last) - Double(try #require(film.index.shift)) + Double(frame.samples) / rate
    #expect(end > 10 - 2 * Double(frame.samples) / rate, "\(end)")
    for (before, after) in zip(times, times.dropFirst()) {
      check(after - before < 2.01 * Double(frame.samples) / rate, "from \(before) to \(after)")
    }
    // All frames decode, and the silent ones are silent.
    #expect(try !decoded(path).contains("max_volume: -91.0 dB"))
    let words = try decoded(path, from: "5.2")
    #expect(words.contains("max_volume: -91.0 dB"), "\(words.suffix(400))")
  }

  /// Silence of MP3 has more bytes than any other.
  @Test func `the bit rate of a film counts its silence`() throws {
    // The film is checked against its playlists.
    let film = try FilmSource(try recording(["-af", "atrim=end=1", "-c:a", "libmp3lame"]))
    #expect(film.index.soundKind == .other && film.index.silence?.frame.count == 96)
  }

  @Test func `a description of FLAC is read with care`() throws {
    func box(_ block: Bytes, type: UInt8 = 0x80, length: UInt8 = 34) -> Bytes {
      [0, 0, 0, 0, type, 0, 0, length] + block
    }
    let stream = FLACStreamInformation(
      blockSizes: 16...65_535, sampleRate: 655_350, channels: 8, bitsPerSample: 32)
    #expect(FLACStreamInformation(box(stream.block)[...]) == stream)
    #expect(FLACStreamInformation(box(stream.block, type: 0)[...]) == stream)
    for count in 0..<34 { #expect(FLACStreamInformation(box(Bytes(stream.block.prefix(count)))[...]) == nil) }
    #expect(FLACStreamInformation(box(stream.block, type: 0x84)[...]) == nil)
    #expect(FLACStreamInformation(box(stream.block, length: 33)[...]) == nil)
    // A frame of 15 samples, one that is longer than the longest, no rate, and samples of 3 bits.
    for (place, bytes) in [(0, [0, 15]), (2, [0, 15]), (10, [0, 0, 0x0E]), (12, [0x00, 0x2F])] as [(Int, Bytes)] {
      var block = stream.block
      block.replaceSubrange(place..<place + bytes.count, with: bytes)
      #expect(FLACStreamInformation(box(block)[...]) == nil, "\(place)")
    }
  }

  // MARK: The choice

  /// A film of recordings, each with its kind of sound and its seconds, and the sound with which each is listed.
  struct Choice: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var isGrowing = false
    let recordings: [(kind: SoundKind, seconds: Int64)]
    let sounds: [FilmSound?]
  }

  static let choices = [
    Choice(
      testDescription: "one codec", recordings: [(.coded(.opus), 9), (.coded(.opus), 1)], sounds: [.own, .own]),
    Choice(testDescription: "no sound", recordings: [(.absent, 9), (.absent, 1)], sounds: [.own, .own]),
    Choice(testDescription: "sound alone", recordings: [(.alone, 9), (.alone, 1)], sounds: [.own, .own]),
    Choice(
      testDescription: "the longest codec", recordings: [(.coded(.aac), 4), (.coded(.opus), 5), (.absent, 60)],
      sounds: [.silence(.opus), .own, .silence(.opus)]),
    Choice(
      testDescription: "the longest codec in parts",
      recordings: [(.coded(.aac), 4), (.coded(.flac), 5), (.coded(.aac), 4)], sounds: [.own, .silence(.aac), .own]),
    Choice(
      testDescription: "the first of two", recordings: [(.absent, 1), (.coded(.flac), 5), (.coded(.aac), 5)],
      sounds: [.silence(.flac), .own, .silence(.flac)]),
    Choice(
      testDescription: "other sound", recordings: [(.other, 90), (.coded(.aac), 1)], sounds: [.silence(.aac), .own]),
    Choice(testDescription: "other sound alone", recordings: [(.other, 9), (.absent, 1)], sounds: [.mute, .own]),
    Choice(
      testDescription: "sound without pictures", recordings: [(.alone, 90), (.coded(.aac), 1), (.absent, 1)],
      sounds: [nil, .own, .silence(.aac)]),
    Choice(
      testDescription: "growing", isGrowing: true,
      recordings: [(.coded(.aac), 1), (.coded(.opus), 50), (.absent, 9), (.other, 9), (.alone, 9)],
      sounds: [.own, .silence(.aac), .silence(.aac), .silence(.aac), nil]),
    Choice(
      testDescription: "growing from pictures", isGrowing: true,
      recordings: [(.absent, 1), (.coded(.opus), 50), (.absent, 9), (.other, 9)], sounds: [.own, .mute, .own, .mute]),
    Choice(
      testDescription: "growing from sound", isGrowing: true, recordings: [(.alone, 1), (.coded(.opus), 50)],
      sounds: [.own, .own]),
  ]

  @Test(arguments: choices)
  func `a film has the sound that lasts longest, and silence in its place`(choice: Choice) {
    var made = FilmSoundChoice(isGrowing: choice.isGrowing)
    var early: [FilmSound?] = []
    for recording in choice.recordings {
      made.add(recording.kind, milliseconds: recording.seconds * 1_000)
      early.append(made.sound(of: recording.kind))
    }
    #expect(choice.recordings.map { made.sound(of: $0.kind) } == choice.sounds)
    #expect(made.isOwn == choice.sounds.allSatisfy { $0 == .own })
    // What is listed while it grows stays as it is.
    if choice.isGrowing { #expect(early == choice.sounds) }
  }
}
