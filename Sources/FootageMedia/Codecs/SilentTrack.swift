internal import FootageBase

/// A track of silence beside the pictures of a recording, in a form that is the same for all recordings: two channels
/// at 48 kHz.
struct SilentTrack {
  let coding: SoundCoding
  let id: UInt32
  let sound: SilentSound

  /// The number of samples, and of the track's ticks, in a second.
  private static let rate = 48_000
  private static let channels = 2
  /// The form of FLAC. Its frames are about as long as those of AAC.
  private static let flac = FLACStreamInformation(
    blockSizes: 1_024...1_024, sampleRate: rate, channels: channels, bitsPerSample: 16)

  /// - Parameter pictures: the track whose ID this one must not have.
  init(_ coding: SoundCoding, besides pictures: IndexedTrack) {
    self.coding = coding
    id = pictures.id == 2 ? 1 : 2
    sound =
      switch coding {
      case .aac: .stereoAAC(rate: Self.rate)
      case .opus: .opus(isStereo: true)
      case .flac: .flac(Self.flac)
      }
  }

  /// The track as samples refer to it. It begins with the presentation.
  var indexed: IndexedTrack {
    IndexedTrack(
      id: id, handler: "soun", timing: TrackTiming(timescale: UInt32(Self.rate), origin: 0), leastOffset: 0,
      edits: EditList(), movieTimescale: UInt32(Self.rate))
  }

  // MARK: Samples

  /// Returns the silent frames that begin in a range of time. The frames of a film have places on one grid, so that
  /// those of a segment begin where those of the segment before it end.
  ///
  /// - Parameters:
  ///   - time: the time in ticks of the pictures' track, from the beginning of the presentation.
  ///   - place: the offset of the first frame. The others follow it directly.
  func samples(during time: Range<Int64>, of timing: TrackTiming, at place: UInt64) -> [IndexedSample] {
    let frames = frame(at: time.lowerBound, of: timing)..<frame(at: time.upperBound, of: timing)
    // A frame lasts longer where there would be too many.
    let step = (Int64(frames.count) + Int64(SilentSound.mostFrames) - 1) / Int64(SilentSound.mostFrames)
    guard step > 0 else { return [] }
    let size = UInt32(sound.frame.count)
    let samples = Int64(sound.samples)
    return stride(from: frames.lowerBound, to: frames.upperBound, by: Int(step)).enumerated().map { index, frame in
      let end = min(frame + step, frames.upperBound)
      return IndexedSample(
        offset: place + UInt64(index) * UInt64(size), decodingTime: frame * samples, compositionOffset: 0,
        duration: UInt32(clamping: (end - frame) * samples), size: size, isSync: true)
    }
  }

  /// Returns the number of the first frame that does not begin before a time.
  private func frame(at time: Int64, of timing: TrackTiming) -> Int64 {
    let length = Int128(timing.timescale) * Int128(sound.samples)
    let (quotient, remainder) = (Int128(time) * Int128(Self.rate)).quotientAndRemainder(dividingBy: length)
    // A product beyond all recordings is clamped, so that times in ticks fit.
    let most = Int128(Int64.max / 2 / Int64(sound.samples))
    return Int64(min(max(quotient + (remainder > 0 ? 1 : 0), -most), most))
  }

  // MARK: Description

  /// Returns an init segment of the recording with this track in place of its sound.
  func added(to initialization: SampleIndex.Initialization) throws(MP4Error) -> [UInt8] {
    let movie = try initialization.movie(ofAll: false)
    var writer = MovieWriter(movie, after: InitializationWriter.fileType)
    try writer.box("moov") { (writer) throws(MP4Error) in
      for child in movie.children where child.type != "mvex" { writer.copy(child) }
      writer.append(track)
      writer.fragmentDefaults(of: movie.tracks.map(\.id) + [id])
    }
    return writer.bytes
  }

  /// The `trak` (ISO/IEC 14496-12 §8.3).
  private var track: [UInt8] {
    var output = BoxWriter(capacity: 512)
    output.box("trak") {
      // It is enabled and part of the presentation, at full volume and without a place in the picture.
      $0.fullBox("tkhd", flags: 0b11) {
        for value in [0, 0, id, 0, 0] { $0.uint32(value) }
        for value: UInt32 in [0, 0, 0, 0x0100_0000] { $0.uint32(value) }
        for value: UInt32 in [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000] { $0.uint32(value) }
        $0.uint64(0)
      }
      $0.box("mdia") {
        $0.fullBox("mdhd") {
          // The language is undetermined.
          for value: UInt32 in [0, 0, UInt32(Self.rate), 0, 0x55C4_0000] { $0.uint32(value) }
        }
        $0.fullBox("hdlr") {
          for value in [0, ("soun" as FourCharacterCode).rawValue, 0, 0, 0] { $0.uint32(value) }
          $0.append([0])
        }
        $0.box("minf") {
          $0.fullBox("smhd") { $0.uint32(0) }
          $0.box("dinf") {
            $0.fullBox("dref") {
              $0.uint32(1)
              $0.fullBox("url ", flags: 1) { _ in }
            }
          }
          $0.box("stbl") {
            $0.fullBox("stsd") {
              $0.uint32(1)
              writeEntry(into: &$0)
            }
            for type in ["stts", "stsc"] as [FourCharacterCode] { $0.fullBox(type) { $0.uint32(0) } }
            $0.fullBox("stsz") { $0.uint64(0) }
            $0.fullBox("stco") { $0.uint32(0) }
          }
        }
      }
    }
    return output.bytes
  }

  /// Writes the `AudioSampleEntry` (ISO/IEC 14496-12 §12.2.3).
  private func writeEntry(into output: inout BoxWriter) {
    let type: FourCharacterCode =
      switch coding {
      case .aac: "mp4a"
      case .opus: "Opus"
      case .flac: "fLaC"
      }
    output.box(type) {
      // Six reserved bytes and the number of the data reference; then reserved bytes.
      for value: UInt32 in [0, 1, 0, 0] { $0.uint32(value) }
      $0.uint32(UInt32(Self.channels) << 16 | 16)
      $0.uint32(0)
      $0.uint32(UInt32(Self.rate) << 16)
      switch coding {
      case .aac:
        $0.fullBox("esds") { $0.append(Self.descriptor) }
      case .opus:
        // Version, channels, no samples to skip, the rate, no gain, and the mapping of one or two channels.
        $0.box("dOps") {
          $0.append([0, UInt8(Self.channels), 0, 0])
          $0.uint32(UInt32(Self.rate))
          $0.append([0, 0, 0])
        }
      case .flac:
        // The last metadata block, of type 0 and 34 bytes.
        $0.fullBox("dfLa") {
          $0.uint32(0x8000_0022)
          $0.append(Self.flac.block)
        }
      }
    }
  }

  /// The `ES_Descriptor` of AAC-LC at 48 kHz in two channels (ISO/IEC 14496-1 §7.2.6.5, ISO/IEC 14496-3 §1.6.2.1).
  private static let descriptor: [UInt8] = [
    3, 25, 0, 0, 0,
    // The decoder's configuration: MPEG-4 sound, and no bit rates.
    4, 17, 0x40, 0x15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    // Object type 2, rate 3, two channels, and frames of 1,024 samples.
    5, 2, 0x11, 0x90,
    // The synchronization layer's predefined configuration for MP4.
    6, 1, 2,
  ]
}
