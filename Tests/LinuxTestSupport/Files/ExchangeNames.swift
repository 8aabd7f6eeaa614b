/// An atomic exchange of the names of two items in a file system.
import Foundation

/// Calls `renameat2` with `RENAME_EXCHANGE`, which Foundation does not import.
package func exchangeNames(_ one: String, _ other: String) throws {
  typealias Rename = @convention(c) (CInt, UnsafePointer<CChar>, CInt, UnsafePointer<CChar>, CUnsignedInt) -> CInt
  guard let symbol = dlsym(nil, "renameat2") else { throw CocoaError(.featureUnsupported) }
  let exchange: CUnsignedInt = 2
  guard unsafeBitCast(symbol, to: Rename.self)(AT_FDCWD, one, AT_FDCWD, other, exchange) == 0 else {
    throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
  }
}
