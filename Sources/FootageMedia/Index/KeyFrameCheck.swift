internal import FootageBase

/// A check that the samples that a recorder marks as key frames are some.
///
/// Some recorders mark every sample, or those from which the picture becomes whole only after a while. No decoder can
/// begin with them. The first slice of a sample tells: that of a key frame is predicted from no other picture.
struct KeyFrameCheck: Sendable {
  /// One of this many marked samples is looked at. With 1, each is, and loses a mark that is wrong.
  private let step: Int
  /// The number of marked samples so far.
  private var count = 0
  /// The readers by sample description, or nil where samples cannot be read.
  private let readers: [SliceTypeReader?]
  /// True if a mark was wrong.
  private(set) var hasFoundWrongMark = false

  /// The number of marked samples that are looked at to find out whether a recorder's marks can be trusted. A day has
  /// ten thousands of key frames, and each look may move the head of a disk.
  private static let trials = 128
  /// The largest number of marked samples of a recording that are looked at. No later sample counts as a key frame.
  private static let most = 4 << 20

  /// - Parameters:
  ///   - marked: the number of marked samples, if it is known and not all of them need to be looked at.
  ///   - entries: the track's sample descriptions.
  /// - Returns: nil if the samples of the track cannot be checked.
  init?(_ entries: [SampleEntry], marked: Int? = nil) {
    readers = entries.map { SliceTypeReader($0) }
    guard readers.contains(where: { $0 != nil }) else { return nil }
    step = max(1, (marked ?? 0) / Self.trials)
  }

  /// Removes wrong marks, if each marked sample is looked at.
  ///
  /// - Parameters:
  ///   - queue: the samples, of which those from `first` on have not been looked at.
  ///   - media: the recorder's file.
  mutating func look(
    at queue: inout SampleQueue, from first: Int, in media: some ByteSource
  ) throws(MP4Error) {
    for index in first..<max(first, queue.count) where queue[index].isSync {
      if try !isKeyFrame(queue[index], in: media) { queue.clearSync(of: index) }
    }
  }

  /// Returns false if a marked sample was looked at and is no key frame.
  mutating func isKeyFrame<Source: ByteSource>(
    _ sample: IndexedSample, in media: Source
  ) throws(MP4Error) -> Bool {
    defer { count += 1 }
    guard count.isMultiple(of: step), sample.size > 0, Int(sample.description) < readers.count,
      var reader = readers[Int(sample.description)]
    else { return true }
    guard count / step < Self.most else { return false }
    do throws(Source.Failure) {
      // Marks of samples without a slice that can be read are believed.
      guard let type = try reader.type(ofSample: sample.bytes, in: media), type != .intra else { return true }
    } catch {
      throw .unreadable(ReadFailure(error))
    }
    hasFoundWrongMark = true
    return false
  }
}
