package import FootageBase

/// What `footage inspect` shows of a file, broken ones too.
package struct Inspection: Sendable {
  /// A box, and what is in it.
  package struct Node: Sendable, Hashable {
    package let type: FourCharacterCode
    /// In the file.
    package let offset: UInt64
    /// In bytes, as the box claims.
    package let size: UInt64
    package fileprivate(set) var children: [Node] = []
    /// What is wrong with it.
    package fileprivate(set) var fault: String?
  }

  /// What ingest would do.
  package enum Verdict: Sendable, Equatable {
    case ready(MovieIndex)
    case incomplete(MP4Error)
    case refused(MP4Error)
  }

  /// Of the file, in bytes.
  package let length: UInt64
  /// From the top down, in file order.
  package let boxes: [Node]
  /// Whether there are more boxes than are shown.
  package let isAbridged: Bool
  package let verdict: Verdict
  package let tracks: [TrackInspection]
  /// What hinders films of what is served; nil where nothing is.
  package let hindrances: [FilmHindrance]?

  /// Looks into a file; what cannot be read becomes a fault. Reads headers only. May block.
  package static func of(_ source: some ByteSource) -> Inspection { Inspection(source) }

  private init(_ source: some ByteSource) {
    length = source.length
    // The tree first: a large `moov` is in memory once for it, and is gone before the index needs the room.
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
      let tracks = TrackInspection.all(in: tables, source)
      self.tracks = tracks
      hindrances = FilmHindrance.all(in: tables.movie) { id in tracks.first { $0.id == id }?.statistics?.groups }
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

/// The boxes of a file, as far as they are shown.
private struct Tree {
  private typealias Node = Inspection.Node

  /// Of the file, in bytes.
  let length: UInt64
  private(set) var boxes: [Inspection.Node] = []
  private(set) var isAbridged = false
  /// One that could be read.
  private(set) var movie: TopLevelBox?
  /// How many more may be shown.
  private var budget = Limits.inspectedBoxes

  init(length: UInt64) { self.length = length }

  /// - Returns: whether there may be another box.
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

  /// Boxes that hold boxes, and how many bytes stand before the first.
  private static let containers: [FourCharacterCode: Int] = [
    "moov": 0, "trak": 0, "edts": 0, "mdia": 0, "minf": 0, "dinf": 0, "stbl": 0, "mvex": 0, "moof": 0, "traf": 0,
    "mfra": 0, "udta": 0, "gmhd": 0, "tref": 0, "meta": 4, "stsd": 8, "dref": 8,
  ]

  /// - Returns: whether all children are there.
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
