internal import CFootageOpenSSL

/// The names that a certificate was issued for.
extension Certificate {
  /// A DNS name, or an IP address (RFC 5280 §4.2.1.6).
  package enum SubjectName: Hashable, Sendable {
    case host(String)
    /// An address of 4 or 16 bytes.
    case address([UInt8])
  }

  /// The largest number of names that is read.
  private static let mostSubjectNames: CInt = 64

  /// The host names and addresses that the certificate was issued for, in the order in which it states them. Other
  /// kinds of names are left out.
  package var subjectNames: [SubjectName] {
    ErrorQueue.clear()
    defer { ErrorQueue.clear() }
    // Safe because the list is freed here, after each name was copied.
    guard let list = unsafe copenssl_subject_names(handle) else { return [] }
    defer { unsafe copenssl_subject_names_free(list) }
    return (0..<min(unsafe copenssl_subject_names_count(list), Self.mostSubjectNames)).compactMap {
      index -> SubjectName? in
      var kind: CInt = 0
      let value = unsafe GENERAL_NAME_get0_value(copenssl_subject_names_at(list, index), &kind)
      guard kind == GEN_DNS || kind == GEN_IPADD, let value = unsafe value else { return nil }
      // Both kinds are OpenSSL strings.
      let text = unsafe value.assumingMemoryBound(to: ASN1_STRING.self)
      let bytes = unsafe Array(
        UnsafeBufferPointer(start: ASN1_STRING_get0_data(text), count: Int(ASN1_STRING_length(text))))
      if kind == GEN_DNS { return String(validating: bytes, as: UTF8.self).map { .host($0) } }
      return bytes.count == 4 || bytes.count == 16 ? .address(bytes) : nil
    }
  }
}
