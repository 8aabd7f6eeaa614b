package import FootageBase

/// Where bytes of the recorder's file lie in what is served of it: for whoever has the recording as it was served, and
/// not the file.
package struct ServedPlaces: Hashable, Sendable {
  /// A range of the recorder's file.
  struct Place: Hashable, Sendable {
    /// Of its first byte, in what is served.
    var served: UInt64
    /// Of its first byte, in the recorder's file.
    var file: UInt64
    /// In bytes.
    var length: UInt64
  }

  /// By where they lie in the file; no two overlap there.
  private let places: [Place]

  /// A file is served in a few pieces: what is before its `moov`, and what is behind.
  static let limit = 4_096

  init() { places = [] }

  /// - Parameter composition: all that is served; source 0 is the recorder's file. Of one in more pieces than anybody
  ///   makes nothing is known.
  init(of composition: Composition) {
    var places: [Place] = []
    for (index, slice) in composition.slices.enumerated() {
      guard case .range(0, let file) = slice else { continue }
      places.append(Place(served: composition.start(ofSlice: index), file: file.lowerBound, length: slice.length))
    }
    self.places = places.count > Self.limit ? [] : places.sorted { $0.file < $1.file }
  }

  /// - Parameters:
  ///   - places: as an index has them.
  ///   - fileLength: of the recorder's file, as far as it is served.
  /// - Returns: nil where they contradict one another.
  init?(_ places: [Place], fileLength: UInt64) {
    var end: UInt64 = 0
    for place in places {
      guard place.file >= end, place.file <= fileLength, place.length <= fileLength - place.file,
        place.served <= UInt64(Int64.max), place.length <= UInt64(Int64.max) - place.served
      else { return nil }
      end = place.file + place.length
    }
    self.places = places
  }

  func append(to bytes: inout [UInt8]) {
    bytes.append(bigEndian: UInt32(clamping: places.count))
    for place in places {
      bytes.append(bigEndian: place.served)
      bytes.append(bigEndian: place.file)
      bytes.append(bigEndian: place.length)
    }
  }

  /// Where all of them end in what is served, in bytes.
  package var end: UInt64 { places.map { $0.served + $0.length }.max() ?? 0 }

  /// What is made of the recorder's file, made of what is served.
  ///
  /// - Parameter composition: whose source 0 is the recorder's file.
  /// - Returns: the same bytes, whose source 0 is what is served; nil where not all of them are served.
  package func served(_ composition: Composition) -> Composition? {
    var served = Composition()
    for slice in composition.slices {
      switch slice {
      case .literal(let bytes): served.append(bytes)
      case .range(_, var rest):
        while !rest.isEmpty {
          guard let place = place(of: rest.lowerBound) else { return nil }
          let count = min(rest.upperBound - rest.lowerBound, place.upperBound - place.lowerBound)
          served.append(place.lowerBound..<(place.lowerBound + count))
          rest = (rest.lowerBound + count)..<rest.upperBound
        }
      }
    }
    return served
  }

  /// Where a range of the file is served in one piece; nil where it is not.
  func served(_ range: Range<UInt64>) -> Range<UInt64>? {
    guard let place = place(of: range.lowerBound),
      range.upperBound - range.lowerBound <= place.upperBound - place.lowerBound
    else { return nil }
    return place.lowerBound..<(place.lowerBound + (range.upperBound - range.lowerBound))
  }

  /// Whether a range of the file is served in one piece, as far as anything is known.
  func areTogether(_ range: Range<UInt64>) -> Bool { places.isEmpty || served(range) != nil }

  /// Where a byte of the file is served, with all that follows it there; nil where it is not served.
  private func place(of offset: UInt64) -> Range<UInt64>? {
    var low = 0
    var high = places.count
    while low < high {
      let middle = (low + high) / 2
      if places[middle].file <= offset { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return nil }
    let place = places[low - 1]
    let distance = offset - place.file
    guard distance < place.length else { return nil }
    return (place.served + distance)..<(place.served + place.length)
  }
}
