internal import CFootageOpenSSL
internal import FootageAPI

/// The key derivations that opening an identity takes, looked at before each is made.
struct DerivationBudget {
  private let limits: IdentityLimits
  /// Rounds.
  private var spent: UInt64 = 0

  init(_ limits: IdentityLimits) { self.limits = limits }

  /// Looks at a key derivation, as an AlgorithmIdentifier (RFC 8018 §A, RFC 7292 §C) names it.
  ///
  /// - Throws: `IdentityFailure`: `.tooManyIterations`, `.tooMuchMemory`.
  func check(_ algorithm: UnsafePointer<X509_ALGOR>?) throws(IdentityFailure) {
    _ = unsafe try cost(of: algorithm)
  }

  /// As `check`, for a derivation that is about to be made.
  mutating func spend(_ algorithm: UnsafePointer<X509_ALGOR>?) throws(IdentityFailure) {
    try spend(rounds: unsafe try cost(of: algorithm))
  }

  /// As `spend`, for the MAC of PKCS#12 (RFC 7292 §4): its rounds stand beside the algorithm, those of PBMAC1 (RFC
  /// 9579) in it.
  mutating func spendMAC(of file: OpaquePointer) throws(IdentityFailure) {
    var algorithm: UnsafePointer<X509_ALGOR>?
    var rounds: UnsafePointer<ASN1_INTEGER>?
    // Safe because what it points to is the file's, which outlives this call.
    unsafe PKCS12_get0_mac(nil, &algorithm, nil, &rounds, file)
    try spend(rounds: unsafe try checked(Self.number(rounds) ?? 1))
    try unsafe spend(algorithm)
  }

  private mutating func spend(rounds: UInt64) throws(IdentityFailure) {
    spent += rounds
    guard spent <= limits.iterationsInAll else { throw .tooManyIterations(spent, limit: limits.iterationsInAll) }
  }

  /// - Returns: rounds; of scrypt, whose own limits it keeps, none.
  private func cost(of algorithm: UnsafePointer<X509_ALGOR>?) throws(IdentityFailure) -> UInt64 {
    guard let algorithm = unsafe algorithm else { return 0 }
    switch unsafe OBJ_obj2nid(algorithm.pointee.algorithm) {
    // PBMAC1-params begins as PBES2-params does: with the derivation.
    case NID_pbes2, NID_pbmac1:
      guard let parameters = unsafe Self.parameters(algorithm, d2i_PBE2PARAM) else { return 0 }
      defer { unsafe PBE2PARAM_free(parameters) }
      return try unsafe cost(ofDerivation: parameters.pointee.keyfunc)
    default:
      // PBES1 and the schemes of PKCS#12 have salt and rounds; an algorithm without them derives nothing.
      guard let parameters = unsafe Self.parameters(algorithm, d2i_PBEPARAM) else { return 0 }
      defer { unsafe PBEPARAM_free(parameters) }
      return try checked(unsafe Self.number(parameters.pointee.iter) ?? 1)
    }
  }

  /// What PBES2 and PBMAC1 derive with (RFC 8018 §A.2, RFC 7914 §7). Others are unknown to OpenSSL.
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

  /// The parameters of an algorithm, where they are a SEQUENCE that `read` knows; the caller frees them.
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
    // Safe because d2i reads at most as many bytes as are said to be there.
    var position = unsafe UnsafePointer<UInt8>(sequence.pointee.data)
    return unsafe read(nil, &position, CLong(sequence.pointee.length))
  }

  /// The largest number there is for one that is larger, or negative, which nobody writes in good faith; nil for none.
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
