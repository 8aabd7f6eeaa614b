/// Certificates and keys of robots, of clients, and of impostors of either. They are made once per run.
import CFootageOpenSSL
import Foundation

/// A server's certificate, key and chain, which are held for the whole run.
package struct ServerMaterial: @unchecked Sendable {
  package let certificate: OpaquePointer?
  package let key: OpaquePointer?
  package var chain: [OpaquePointer?]

  package init(certificate: OpaquePointer?, key: OpaquePointer?, chain: [OpaquePointer?] = []) {
    self.certificate = certificate
    self.key = key
    self.chain = chain
  }

  /// Reads a file that contains a certificate and its key.
  package init(pem path: String) throws {
    let bio = BIO_new_file(path, "r")
    let again = BIO_new_file(path, "r")
    defer {
      BIO_free(bio)
      BIO_free(again)
    }
    self.init(
      certificate: PEM_read_bio_X509(bio, nil, nil, nil), key: PEM_read_bio_PrivateKey(again, nil, nil, nil))
    guard certificate != nil, key != nil else {
      throw CommandFailure(description: "\(path) has no key and certificate")
    }
  }
}

package enum Material {
  private static let made: Result<TemporaryFolder, any Error> = Result {
    let folder = try TemporaryFolder()
    for command in commands.split(separator: "\n").map(String.init) {
      let outcome = try Command("sh", "-c", "cd \(folder.location) && \(command)").run()
      guard outcome.succeeded else { throw Failed(text: "\(command): \(outcome.errors)") }
    }
    return folder
  }

  struct Failed: Error { let text: String }

  private static let newKey = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
  private static let robotName =
    "-subj /CN=robot -set_serial 4711 -days 30 -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -addext extendedKeyUsage=serverAuth"
  private static let commands = """
    openssl req -x509 \(newKey) -keyout robot.key -out robot.pem \(robotName)
    openssl req -x509 \(newKey) -keyout twin.key -out twin.pem \(robotName)
    openssl req -x509 \(newKey) -keyout root.key -out root.pem -subj /CN=root -days 30
    openssl req -x509 \(newKey) -keyout strange.key -out strange.pem -subj /CN=root -days 30
    openssl req \(newKey) -keyout middle.key -out middle.csr -subj /CN=middle
    printf 'basicConstraints=critical,CA:TRUE\\n' > ca.ext
    printf 'subjectAltName=DNS:localhost,IP:127.0.0.1\\nextendedKeyUsage=serverAuth\\n' > server.ext
    printf 'subjectAltName=DNS:elsewhere\\nextendedKeyUsage=serverAuth\\n' > elsewhere.ext
    printf 'subjectAltName=DNS:localhost\\nextendedKeyUsage=clientAuth\\n' > client.ext
    openssl x509 -req -in middle.csr -CA root.pem -CAkey root.key -CAcreateserial -days 30 -extfile ca.ext -out middle.pem
    openssl req \(newKey) -keyout issued.key -out issued.csr -subj /CN=issued
    openssl x509 -req -in issued.csr -CA middle.pem -CAkey middle.key -CAcreateserial -days 30 -extfile server.ext -out issued.pem
    openssl x509 -req -in issued.csr -CA middle.pem -CAkey middle.key -CAcreateserial -days 30 -extfile elsewhere.ext -out elsewhere.pem
    openssl req \(newKey) -keyout alice.key -out alice.csr -subj /CN=alice
    openssl x509 -req -in alice.csr -CA middle.pem -CAkey middle.key -CAcreateserial -days 30 -extfile client.ext -out alice.pem
    openssl pkcs12 -export -inkey alice.key -in alice.pem -certfile middle.pem -passout pass:open -out modern.p12
    openssl pkcs12 -export -inkey alice.key -in alice.pem -certfile middle.pem -passout pass:open -certpbe PBE-SHA1-3DES -keypbe PBE-SHA1-3DES -macalg sha1 -out apple.p12
    openssl pkcs12 -export -legacy -inkey alice.key -in alice.pem -certfile middle.pem -passout pass:open -certpbe PBE-SHA1-RC2-40 -keypbe PBE-SHA1-3DES -macalg sha1 -out old.p12
    openssl pkcs12 -export -inkey alice.key -in alice.pem -nomac -passout pass:open -out nomac.p12
    openssl pkcs12 -export -inkey alice.key -in alice.pem -passout pass: -out empty.p12
    openssl pkcs12 -export -nokeys -in alice.pem -passout pass:open -out nokey.p12
    openssl pkcs12 -export -nocerts -inkey alice.key -passout pass:open -out nocert.p12
    cat alice.pem middle.pem alice.key > alice-both.pem
    cat alice.pem twin.key > mismatch.pem
    openssl pkey -in alice.key -aes256 -passout pass:open -out alice-locked.key
    cat alice-locked.key alice.pem > alice-locked.pem
    """

  package static func file(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: try made.get().path(name))))
  }

  /// Returns a certificate with its key.
  package static func server(_ name: String, chain: [String] = []) throws -> ServerMaterial {
    ServerMaterial(
      certificate: try certificate(name),
      key: try withBIO("\(name).key") { PEM_read_bio_PrivateKey($0, nil, nil, nil) },
      chain: try chain.map(certificate))
  }

  private static func certificate(_ name: String) throws -> OpaquePointer? {
    try withBIO("\(name).pem") { PEM_read_bio_X509($0, nil, nil, nil) }
  }

  /// Returns a second certificate for the issued key, with a name that no client asks for.
  package static func elsewhere() throws -> ServerMaterial {
    ServerMaterial(
      certificate: try certificate("elsewhere"),
      key: try withBIO("issued.key") { PEM_read_bio_PrivateKey($0, nil, nil, nil) }, chain: [try certificate("middle")])
  }

  /// Returns the robot's own certificate with a wrong key: its public half is the robot's, its private half is not.
  /// OpenSSL compares only the public halves.
  package static func thief() throws -> ServerMaterial {
    let robot = try server("robot")
    let parameters = OSSL_PARAM_BLD_new()
    // The parameter list only points to these values.
    let point = UnsafeMutablePointer<UInt8>.allocate(capacity: 65)
    let texts = ["prime256v1", "group", "pub", "priv"].map { (text: String) in strdup(text) }
    let secret = BN_new()
    defer {
      point.deallocate()
      for text in texts { free(text) }
      BN_free(secret)
    }
    var count = 0
    EVP_PKEY_get_octet_string_param(robot.key, "encoded-pub-key", point, 65, &count)
    BN_set_word(secret, 4711)
    OSSL_PARAM_BLD_push_utf8_string(parameters, texts[1], texts[0], 0)
    OSSL_PARAM_BLD_push_octet_string(parameters, texts[2], point, count)
    OSSL_PARAM_BLD_push_BN(parameters, texts[3], secret)
    let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil)
    EVP_PKEY_fromdata_init(context)
    var key: OpaquePointer?
    let list = OSSL_PARAM_BLD_to_param(parameters)
    guard EVP_PKEY_fromdata(context, &key, 0x87, list) == 1 else {
      throw Failed(text: "no forged key: \(ERR_peek_last_error()) \(count)")
    }
    return ServerMaterial(certificate: robot.certificate, key: key)
  }

  private static func withBIO(_ name: String, _ read: (OpaquePointer?) -> OpaquePointer?) throws -> OpaquePointer? {
    let text = try file(name)
    let bio = text.withUnsafeBytes { bytes -> OpaquePointer? in
      let bio = BIO_new(BIO_s_mem())
      BIO_write(bio, bytes.baseAddress, Int32(bytes.count))
      return bio
    }
    defer { BIO_free(bio) }
    guard let object = read(bio) else { throw Failed(text: "\(name) cannot be read") }
    return object
  }
}
