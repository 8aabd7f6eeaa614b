package import FootageBase

/// The content of a file as `footage inspect` shows it. The file may be broken.
package struct Inspection: Sendable {
  /// A box and its children.
  package struct Node: Sendable, Hashable {
    package let type: FourCharacterCode
    /// The offset of the box in the file.
    package let offset: UInt64
    /// The size in bytes that the box's header states.
    package let size: UInt64
    package fileprivate(set) var children: [Node] = []
    /// The fault of the box, or nil.
    package fileprivate(set) var fault: String?
  }

  /// The result that indexing the file would have.
  package enum Verdict: Sendable, Equatable {
    case ready(MovieIndex)
    case incomplete(MP4Error)
    case refused(MP4Error)
  }

  /// The length of the file in bytes.
  package let length: UInt64
  /// The top-level boxes in file order, with their children.
  package let boxes: [Node]
  /// True if there are more boxes than are shown.
  package let isAbridged: Bool
  package let verdict: Verdict
  package let tracks: [TrackInspection]
  /// The hindrances to films of the served recording, or nil if nothing can be served.
  package let hindrances: [FilmHindrance]?

  /// Inspects a file. Anything that cannot be read becomes a fault. Reads headers and tables. Media is read only if
  /// sample entries lack parameter sets, which are then searched for in key frames. May block.
  ///
  /// - Parameter track: the number of the video track whose film is judged, from 1 on; nil for the one that films show.
  package static func of(_ source: some ByteSource, track: Int? = nil) -> Inspection { Inspection(source, track) }

  private init(_ source: some ByteSource, _ track: Int?) {
    length = source.length
    // The tree comes first: a large `moov` is in memory once for it, and is released before the index needs the memory.
    var tree = Tree(length: length)
    var scanner = TopLevelScanner(source)
    while tree.addNext(&scanner) {}
    boxes = tree.boxes
    isAbridged = tree.isAbridged
    var summaries: [TrackSummary] = []
    var ready: MovieIndex?
    do throws(MP4Error) {
      let indexing = try MovieIndexer.indexing(of: source)
      summaries = indexing.tracks
      switch indexing.outcome {
      case .ready(let index):
        verdict = .ready(index)
        ready = index
      case .incomplete(let error): verdict = .incomplete(error)
      }
    } catch {
      verdict = .refused(error)
    }
    if let ready, let tables = try? MovieTables.make(of: source, by: ready) {
      let tracks = TrackInspection.all(in: tables, shown: track, source)
      self.tracks = tracks
      hindrances = FilmHindrance.all(in: tables.movie, track: track) { id in
        tracks.first { $0.id == id }?.statistics?.groups
      }
      return
    }
    hindrances = nil
    if summaries.isEmpty, let box = tree.movie, let buffer = try? scanner.read(box, limit: Limits.movieBox),
      let movie = try? Movie(buffer)
    {
      summaries = movie.tracks.map { TrackSummary($0, in: movie) }
    }
    tracks = summaries.map { TrackInspection($0) }
  }
}

/// The boxes of a file that are shown.
private struct Tree {
  private typealias Node = Inspection.Node

  /// The length of the file in bytes.
  let length: UInt64
  private(set) var boxes: [Inspection.Node] = []
  private(set) var isAbridged = false
  /// The first `moov` that could be read.
  private(set) var movie: TopLevelBox?
  /// The number of boxes that may still be shown.
  private var budget = Limits.inspectedBoxes

  init(length: UInt64) { self.length = length }

  /// - Returns: true if there may be another box.
  mutating func addNext<Source: ByteSource>(_ scanner: inout TopLevelScanner<Source>) -> Bool {
    do throws(MP4Error) {
      switch try scanner.next() {
      case .end: return false
      case .cut(let error, let offset), .junk(let error, let offset):
        var type: FourCharacterCode = "????"
        var size = length - offset
        if case .boxCut(let place, let claims, _) = error {
          type = FourCharacterCode(printed: place.path)
          size = claims
        }
        boxes.append(Node(type: type, offset: offset, size: size, fault: error.description))
        return false
      case .box(let box):
        guard budget > 0 else {
          isAbridged = true
          return false
        }
        budget -= 1
        var node = Node(type: box.type, offset: box.offset, size: box.size)
        let limit = box.type == "moov" ? Limits.movieBox : Limits.fragmentBox
        if Self.containers[box.type] != nil, box.size <= limit {
          let buffer = try scanner.read(box, limit: limit)
          isAbridged = !fill(&node, with: buffer.root, of: buffer, path: "\(box.type)", depth: 1) || isAbridged
          if box.type == "moov", movie == nil { movie = box }
        }
        boxes.append(node)
        return true
      }
    } catch {
      boxes.append(Node(type: "????", offset: scanner.position, size: 0, fault: error.description))
      return false
    }
  }

  /// The types of boxes that contain boxes, and the number of bytes before their first child.
  private static let containers: [FourCharacterCode: Int] = [
    "moov": 0, "trak": 0, "edts": 0, "mdia": 0, "minf": 0, "dinf": 0, "stbl": 0, "mvex": 0, "moof": 0, "traf": 0,
    "mfra": 0, "udta": 0, "gmhd": 0, "tref": 0, "meta": 4, "stsd": 8, "dref": 8,
  ]

  /// - Returns: true if all children were added.
  private mutating func fill(
    _ node: inout Inspection.Node, with box: Box, of buffer: BoxBuffer, path: String, depth: Int
  ) -> Bool {
    guard let skipped = Self.containers[box.type] else { return true }
    guard depth < Limits.depth else { return false }
    var isWhole = true
    var children: [Node] = []
    do throws(MP4Error) {
      let content = min(box.payload.lowerBound + skipped, box.end)..<box.end
      try buffer.forEachBox(in: content, of: path) { (child) throws(MP4Error) in
        guard budget > 0 else {
          isWhole = false
          return
        }
        budget -= 1
        var childNode = Node(
          type: child.type, offset: buffer.fileOffset + UInt64(child.start), size: UInt64(child.range.count))
        let childIsWhole = fill(
          &childNode, with: child, of: buffer, path: path + "/\(child.type)", depth: depth + 1)
        isWhole = isWhole && childIsWhole
        children.append(childNode)
      }
    } catch {
      node.fault = error.description
    }
    node.children = children
    return isWhole
  }
}
