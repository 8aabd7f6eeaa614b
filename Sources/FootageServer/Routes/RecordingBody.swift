/// The bytes of an open recording as a response's body.

package import HTTPSemantics
package import HTTPTransport
internal import Networking
internal import RecordingLibrary
internal import Storage

package final class RecordingBody: ResponseBody {
  package let metadata: RepresentationMetadata
  package let steadyByteCount: UInt64
  private let representation: Representation
  private let slices: SliceList
  private let pool: BlockingPool

  /// - Returns: nil where the entity tag is none.
  init?(_ representation: Representation, pool: BlockingPool) {
    guard let entityTag = EntityTag(representation.entityTag) else { return nil }
    self.representation = representation
    self.pool = pool
    slices = representation.slices
    steadyByteCount = representation.steadyByteCount
    metadata = RepresentationMetadata(
      length: representation.slices.length, mediaType: representation.mediaType, entityTag: entityTag,
      lastModified: representation.lastModified, cacheControl: "no-cache")
  }

  package func readImmediately(
    at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(ResponseBodyError) -> Int {
    do throws(StorageError) {
      switch unsafe try slices.readImmediately(at: offset, into: buffer) {
      case .bytes(let count): return count
      case .wouldBlock: return 0
      }
    } catch { throw Self.failure(error) }
  }

  /// On a thread that may wait for the disk.
  package func read(at offset: UInt64, count: Int) async throws(ResponseBodyError) -> [UInt8] {
    let slices = slices
    let result = await pool.run { () -> Result<[UInt8], StorageError> in
      do throws(StorageError) { return .success(try slices.bytes(at: offset, count: count)) } catch {
        return .failure(error)
      }
    }
    switch result {
    case .success(let bytes): return bytes
    case .failure(let error): throw Self.failure(error)
    }
  }

  package func isUnchanged() -> Bool { representation.isUnchanged() }

  private static func failure(_ error: StorageError) -> ResponseBodyError {
    switch error.reason {
    case .endOfFile, .changed: .changed(error.description)
    default: .unreadable(error.description)
    }
  }
}
