/// The prediction of a slice's blocks: from no other picture, from one picture per block, or from two.
package enum SliceType: String, Sendable {
  case intra = "I"
  case predicted = "P"
  case bipredicted = "B"

  /// Reads the `slice_type` of H.264 (Rec. ITU-T H.264 §7.4.3). From 5 on, the value also means that all slices of the
  /// picture have this type. SP and SI slices count as P and I slices.
  init?(avc code: UInt32) {
    switch code % 5 {
    case 0, 3: self = .predicted
    case 1: self = .bipredicted
    default: self = .intra
    }
    guard code <= 9 else { return nil }
  }

  /// Reads the `slice_type` of HEVC (Rec. ITU-T H.265 §7.4.7.1).
  init?(hevc code: UInt32) {
    switch code {
    case 0: self = .bipredicted
    case 1: self = .predicted
    case 2: self = .intra
    default: return nil
    }
  }
}
