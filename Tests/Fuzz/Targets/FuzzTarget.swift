/// The code that a fuzzer feeds with bytes, and the properties that it must have for all of them.

/// A violated property. It must be fixed, and its input kept as a seed.
package struct Finding: Error, CustomStringConvertible {
  package let description: String
}

package enum FuzzTarget: String, CaseIterable, Sendable {
  /// The box tree that `footage inspect` shows.
  case boxes
  /// A file's index, as ingest makes it.
  case ingest
  /// Heads of requests and responses with their fields, and chunked bodies.
  case heads
  /// The tables of a movie, and its key frames.
  case tables
  /// A file that is indexed while it grows.
  case growing
  /// JSON, and robots' documents in JSON.
  case json
  /// Manifests, maps of partial files, pairings and pairing links.
  case stored
  /// The certificate that a server shows.
  case certificates
  /// The answers of a store with the S3 API.
  case answers
  /// The manifests that a robot has supposedly signed.
  case manifests

  /// The folder of the target's seeds, below `Tests/Fuzz/Corpus`.
  package var corpus: String {
    switch self {
    case .boxes, .ingest, .tables, .growing: "recordings"
    case .heads, .json, .stored, .certificates, .answers, .manifests: rawValue
    }
  }

  /// Checks the bytes; throws a violated property. A trap is a finding, too.
  package func run(_ bytes: [UInt8]) throws(Finding) {
    switch self {
    case .boxes: try BoxTree.check(bytes)
    case .ingest: try Index.check(bytes)
    case .heads: try Heads.check(bytes)
    case .tables: try Tables.check(bytes)
    case .growing: try Growing.check(bytes)
    case .json: try JSONText.check(bytes)
    case .stored: try StoredText.check(bytes)
    case .certificates: try CertificateBytes.check(bytes)
    case .answers: try StoreAnswer.check(bytes)
    case .manifests: try ManifestBytes.check(bytes)
    }
  }
}

func expect(_ isTrue: Bool, _ what: @autoclosure () -> String) throws(Finding) {
  guard isTrue else { throw Finding(description: what()) }
}

// The functions that the drivers call. libFuzzer reports a trap.

private func drive(_ target: FuzzTarget, _ start: UnsafePointer<UInt8>?, _ count: Int) {
  // Safe because libFuzzer lends this many bytes from there on until this returns.
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  do throws(Finding) { try target.run(bytes) } catch { fatalError(error.description) }
}

@_cdecl("footage_fuzz_boxes")
func fuzzBoxes(_ start: UnsafePointer<UInt8>?, _ count: Int) { unsafe drive(.boxes, start, count) }

@_cdecl("footage_fuzz_ingest")
func fuzzIngest(_ start: UnsafePointer<UInt8>?, _ count: Int) { unsafe drive(.ingest, start, count) }

@_cdecl("footage_fuzz_heads")
func fuzzHeads(_ start: UnsafePointer<UInt8>?, _ count: Int) { unsafe drive(.heads, start, count) }

@_cdecl("footage_fuzz_tables")
func fuzzTables(_ start: UnsafePointer<UInt8>?, _ count: Int) { unsafe drive(.tables, start, count) }

@_cdecl("footage_fuzz_growing")
func fuzzGrowing(_ start: UnsafePointer<UInt8>?, _ count: Int) { unsafe drive(.growing, start, count) }

@_cdecl("footage_fuzz_json")
func fuzzJSON(_ start: UnsafePointer<UInt8>?, _ count: Int) { unsafe drive(.json, start, count) }

@_cdecl("footage_fuzz_stored")
func fuzzStored(_ start: UnsafePointer<UInt8>?, _ count: Int) { unsafe drive(.stored, start, count) }

@_cdecl("footage_fuzz_certificates")
func fuzzCertificates(_ start: UnsafePointer<UInt8>?, _ count: Int) { unsafe drive(.certificates, start, count) }

@_cdecl("footage_fuzz_answers")
func fuzzAnswers(_ start: UnsafePointer<UInt8>?, _ count: Int) { unsafe drive(.answers, start, count) }

@_cdecl("footage_fuzz_manifests")
func fuzzManifests(_ start: UnsafePointer<UInt8>?, _ count: Int) { unsafe drive(.manifests, start, count) }

/// Changes a recording in place.
///
/// - Returns: the new number of bytes, at most `limit`.
@_cdecl("footage_mutate_boxes")
func mutateBoxes(_ start: UnsafeMutablePointer<UInt8>?, _ count: Int, _ limit: Int, _ seed: UInt32) -> Int {
  // Safe because libFuzzer lends `limit` bytes from there on until this returns; `count` of them are the input.
  let buffer = unsafe UnsafeMutableBufferPointer(start: start, count: limit)
  var random = SeededRandom(seed: UInt64(seed))
  let mutant = unsafe BoxMutator.mutate(Array(buffer.prefix(count)), limit: limit, random: &random)
  for (index, byte) in mutant.enumerated() { unsafe buffer[index] = byte }
  return mutant.count
}
