internal import CFootageOpenSSL
internal import FootageAPI

/// A budget for the key derivations needed to open an identity. Each one is checked before it runs.
struct DerivationBudget {
  private let limits: IdentityLimits
  /// The number of rounds so far.
  private var spent: UInt64 = 0

  init(_ limits: IdentityLimits) { self.limits = limits }

  /// Checks a key derivation, as an AlgorithmIdentifier (RFC 8018 §A, RFC 7292 §C) describes it.
  ///
  /// - Throws: `IdentityFailure`: `.tooManyIterations`, `.tooMuchMemory`.
  func check(_ algorithm: UnsafePointer<X509_ALGOR>?) throws(IdentityFailure) {
    _ = unsafe try cost(of: algorithm)
  }

  /// Checks a derivation that is about to run, as `check` does, and counts its rounds.
  mutating func spend(_ algorithm: UnsafePointer<X509_ALGOR>?) throws(IdentityFailure) {
    try spend(rounds: unsafe try cost(of: algorithm))
  }

  /// Checks the derivation for the MAC of PKCS#12 (RFC 7292 §4), and counts its rounds. The file states the number of
  /// rounds beside the algorithm, or for PBMAC1 (RFC 9579) within it.
  mutating func spendMAC(of file: OpaquePointer) throws(IdentityFailure) {
    var algorithm: UnsafePointer<X509_ALGOR>?
    var rounds: UnsafePointer<ASN1_INTEGER>?
    // Safe because the pointers refer to parts of the file, which outlives this call.
    unsafe PKCS12_get0_mac(nil, &algorithm, nil, &rounds, file)
    try spend(rounds: unsafe try checked(Self.number(rounds) ?? 1))
    try unsafe spend(algorithm)
  }

  private mutating func spend(rounds: UInt64) throws(IdentityFailure) {
    spent += rounds
    guard spent <= limits.iterationsInAll else { throw .tooManyIterations(spent, limit: limits.iterationsInAll) }
  }

  /// - Returns: the number of rounds; 0 for scrypt, which is checked against limits of its own.
  private func cost(of algorithm: UnsafePointer<X509_ALGOR>?) throws(IdentityFailure) -> UInt64 {
    guard let algorithm = unsafe algorithm else { return 0 }
    switch unsafe OBJ_obj2nid(algorithm.pointee.algorithm) {
    // PBMAC1-params begins like PBES2-params: with the derivation.
    case NID_pbes2, NID_pbmac1:
      guard let parameters = unsafe Self.parameters(algorithm, d2i_PBE2PARAM) else { return 0 }
      defer { unsafe PBE2PARAM_free(parameters) }
      return try unsafe cost(ofDerivation: parameters.pointee.keyfunc)
    default:
      // PBES1 and the PKCS#12 schemes have a salt and rounds; an algorithm without them derives nothing.
      guard let parameters = unsafe Self.parameters(algorithm, d2i_PBEPARAM) else { return 0 }
      defer { unsafe PBEPARAM_free(parameters) }
      return try checked(unsafe Self.number(parameters.pointee.iter) ?? 1)
    }
  }

  /// Returns the rounds of the derivation within PBES2 or PBMAC1 (RFC 8018 §A.2, RFC 7914 §7). OpenSSL knows no other
  /// derivations than PBKDF2 and scrypt there.
  private func cost(ofDerivation algorithm: UnsafePointer<X509_ALGOR>) throws(IdentityFailure) -> UInt64 {
    switch unsafe OBJ_obj2nid(algorithm.pointee.algorithm) {
    case NID_id_pbkdf2:
      guard let parameters = unsafe Self.parameters(algorithm, d2i_PBKDF2PARAM) else { return 0 }
      defer { unsafe PBKDF2PARAM_free(parameters) }
      return try checked(unsafe Self.number(parameters.pointee.iter) ?? 1)
    case NID_id_scrypt:
      guard let parameters = unsafe Self.parameters(algorithm, d2i_SCRYPT_PARAMS) else { return 0 }
      defer { unsafe SCRYPT_PARAMS_free(parameters) }
      let cost = unsafe Self.number(parameters.pointee.costParameter) ?? 1
      let blockSize = unsafe Self.number(parameters.pointee.blockSize) ?? 1
      let lanes = unsafe Self.number(parameters.pointee.parallelizationParameter) ?? 1
      let byteCount = Self.product(128, blockSize, Self.sum(cost, lanes))
      guard byteCount <= limits.scryptByteCount else {
        throw .tooMuchMemory(byteCount, limit: limits.scryptByteCount)
      }
      let steps = Self.product(cost, blockSize, lanes)
      guard steps <= limits.scryptSteps else { throw .tooManyIterations(steps, limit: limits.scryptSteps) }
      return 0
    default: return 0
    }
  }

  private func checked(_ rounds: UInt64) throws(IdentityFailure) -> UInt64 {
    guard rounds <= limits.iterations else { throw .tooManyIterations(rounds, limit: limits.iterations) }
    return rounds
  }

  /// Returns the parameters of an algorithm if they are a SEQUENCE that `read` understands. The caller frees them.
  private static func parameters<Parameters>(
    _ algorithm: UnsafePointer<X509_ALGOR>,
    _ read: (
      UnsafeMutablePointer<UnsafeMutablePointer<Parameters>?>?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, CLong
    ) -> UnsafeMutablePointer<Parameters>?
  ) -> UnsafeMutablePointer<Parameters>? {
    guard let parameter = unsafe algorithm.pointee.parameter, unsafe parameter.pointee.type == V_ASN1_SEQUENCE,
      let sequence = unsafe parameter.pointee.value.sequence
    else { return nil }
    defer { ErrorQueue.clear() }
    // Safe because d2i reads at most the given number of bytes.
    var position = unsafe UnsafePointer<UInt8>(sequence.pointee.data)
    return unsafe read(nil, &position, CLong(sequence.pointee.length))
  }

  /// Returns the number; the largest `UInt64` if the number is negative or exceeds 64 bits, which it never does in an
  /// honest file; nil if there is no number.
  private static func number(_ integer: UnsafePointer<ASN1_INTEGER>?) -> UInt64? {
    guard let integer = unsafe integer else { return nil }
    defer { ErrorQueue.clear() }
    var value: UInt64 = 0
    return unsafe ASN1_INTEGER_get_uint64(&value, integer) == 1 ? value : .max
  }

  private static func product(_ factors: UInt64...) -> UInt64 {
    factors.reduce(1) { product, factor in
      let (result, isTooLarge) = product.multipliedReportingOverflow(by: factor)
      return isTooLarge ? .max : result
    }
  }

  private static func sum(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let (result, isTooLarge) = left.addingReportingOverflow(right)
    return isTooLarge ? .max : result
  }
}
