/// The bytes of an open recording as a response's body.

package import HTTPTransport
internal import Networking
internal import RecordingLibrary
internal import Storage

package struct RecordingBody: ResponseBody {
  let representation: Representation
  let pool: BlockingPool

  package var length: UInt64 { representation.slices.length }

  package func readImmediately(
    at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(ResponseBodyError) -> Int {
    do throws(StorageError) {
      switch unsafe try representation.slices.readImmediately(at: offset, into: buffer) {
      case .bytes(let count): return count
      case .wouldBlock: return 0
      }
    } catch { throw Self.failure(error) }
  }

  /// On a thread that may wait for the disk.
  package func read(at offset: UInt64, count: Int) async throws(ResponseBodyError) -> [UInt8] {
    let slices = representation.slices
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
