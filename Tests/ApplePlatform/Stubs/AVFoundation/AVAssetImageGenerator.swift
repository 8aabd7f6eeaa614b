/// Makes pictures of an asset's video. This one decodes nothing: of a file with one sample it makes a picture of the size
/// that its track says, turned as its matrix says where that is asked for.
public final class AVAssetImageGenerator: NSObject {
  private let asset: AVAsset

  public init(asset: AVAsset) { self.asset = asset }

  public var appliesPreferredTrackTransform = false

  public func image(at time: CMTime) async throws -> (image: CGImage, actualTime: CMTime) {
    guard let asset = asset as? AVURLAsset else { throw ImageError.unreadable }
    let track = try VideoTrackBoxes(Array(Data(contentsOf: asset.url)))
    guard track.sampleCount == 1 else { throw ImageError.samples(track.sampleCount) }
    guard track.isInvertible else { throw ImageError.unreadable }
    let isTurned = appliesPreferredTrackTransform && track.swapsSides
    return (
      CGImage(width: isTurned ? track.height : track.width, height: isTurned ? track.width : track.height), .zero
    )
  }
}

package enum ImageError: Error, Hashable {
  case unreadable
  case samples(Int)
}

/// The description of a movie's first track (ISO/IEC 14496-12 §8.3.2, §8.7.3.2).
private struct VideoTrackBoxes {
  let width: Int
  let height: Int
  /// True if its matrix rotates it by a quarter turn.
  let swapsSides: Bool
  /// True if its matrix leaves anything of it.
  let isInvertible: Bool
  let sampleCount: Int

  init(_ bytes: [UInt8]) throws {
    guard let track = Self.box(["moov", "trak"], in: bytes[...]), let header = Self.box(["tkhd"], in: track),
      let sizes = Self.box(["mdia", "minf", "stbl", "stsz"], in: track), let version = header.first
    else { throw ImageError.unreadable }
    let matrix = (version == 1 ? 36 : 24) + 16
    guard header.count >= matrix + 44, sizes.count >= 12 else { throw ImageError.unreadable }
    func field(_ offset: Int, of box: ArraySlice<UInt8>) -> Int { Self.number(box.dropFirst(offset)) }
    width = field(matrix + 36, of: header) >> 16
    height = field(matrix + 40, of: header) >> 16
    swapsSides = field(matrix, of: header) == 0 && field(matrix + 16, of: header) == 0
    isInvertible =
      field(matrix, of: header) * field(matrix + 16, of: header)
      != field(matrix + 4, of: header) * field(matrix + 12, of: header)
    sampleCount = field(8, of: sizes)
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) } }

  /// The content of the first box on a path.
  private static func box(_ path: [String], in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var rest = bytes
    while rest.count >= 8 {
      let size = number(rest)
      guard size >= 8, size <= rest.count else { return nil }
      let content = rest.prefix(size).dropFirst(8)
      if String(decoding: rest.dropFirst(4).prefix(4), as: UTF8.self) == path[0] {
        return path.count == 1 ? content : box(Array(path.dropFirst()), in: content)
      }
      rest = rest.dropFirst(size)
    }
    return nil
  }
}
