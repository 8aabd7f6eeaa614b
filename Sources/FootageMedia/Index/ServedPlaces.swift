package import FootageBase

/// The positions of the recorder's bytes in the served bytes. A client that has only the served bytes, and not the
/// recorder's file, needs them.
package struct ServedPlaces: Hashable, Sendable {
  /// A range of the recorder's file.
  struct Place: Hashable, Sendable {
    /// The offset of its first byte in the served bytes.
    var served: UInt64
    /// The offset of its first byte in the recorder's file.
    var file: UInt64
    /// The length in bytes.
    var length: UInt64
  }

  /// The places in the order of the recorder's file. No two overlap in the file.
  private let places: [Place]

  /// The largest number of places. Real files are served in a few pieces.
  static let limit = 4_096

  init() { places = [] }

  /// - Parameter composition: all bytes that are served. Source 0 is the recorder's file. If it has more pieces than
  ///   `limit`, its places are treated as unknown.
  init(of composition: Composition) {
    var places: [Place] = []
    for (index, slice) in composition.slices.enumerated() {
      guard case .range(0, let file) = slice else { continue }
      places.append(Place(served: composition.start(ofSlice: index), file: file.lowerBound, length: slice.length))
    }
    self.places = places.count > Self.limit ? [] : places.sorted { $0.file < $1.file }
  }

  /// - Parameters:
  ///   - places: the places in an index.
  ///   - fileLength: the length of the recorder's file, up to the end of its last served range.
  /// - Returns: nil if they contradict one another.
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

  /// The largest offset in the served bytes at which a place ends.
  package var end: UInt64 { places.map { $0.served + $0.length }.max() ?? 0 }

  /// Converts a composition of the recorder's file into one of the served bytes.
  ///
  /// - Parameter composition: a composition whose source 0 is the recorder's file.
  /// - Returns: a composition of the same bytes, whose source 0 is the served bytes, or nil if some of them are not
  ///   served.
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

  /// Returns the position of a range of the file in the served bytes, or nil if it is not served in one piece.
  func served(_ range: Range<UInt64>) -> Range<UInt64>? {
    guard let place = place(of: range.lowerBound),
      range.upperBound - range.lowerBound <= place.upperBound - place.lowerBound
    else { return nil }
    return place.lowerBound..<(place.lowerBound + (range.upperBound - range.lowerBound))
  }

  /// Returns true if a range of the file is served in one piece, or if no places are known.
  func areTogether(_ range: Range<UInt64>) -> Bool { places.isEmpty || served(range) != nil }

  /// Returns the served range from a byte of the file to the end of its piece, or nil if the byte is not served.
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
