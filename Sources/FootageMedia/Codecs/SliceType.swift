/// How a slice's pictures are predicted: from nothing, from one picture a block, or from two.
package enum SliceType: String, Sendable {
  case intra = "I"
  case predicted = "P"
  case bipredicted = "B"

  /// `slice_type` of H.264 (Rec. ITU-T H.264 §7.4.3): from 5 on it says that all slices of the picture have it, and
  /// those of switching pictures count as what they are predicted like.
  init?(avc code: UInt32) {
    switch code % 5 {
    case 0, 3: self = .predicted
    case 1: self = .bipredicted
    default: self = .intra
    }
    guard code <= 9 else { return nil }
  }

  /// Rec. ITU-T H.265 §7.4.7.1.
  init?(hevc code: UInt32) {
    switch code {
    case 0: self = .bipredicted
    case 1: self = .predicted
    case 2: self = .intra
    default: return nil
    }
  }
}
