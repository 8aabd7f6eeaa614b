/// The end of a program whose threads are still using OpenSSL.
import CFootageOpenSSL
import FootageDigest
import Glibc
import Testing

struct ProcessEndTests {
  @Test func `a program that calls exit takes OpenSSL from none of its threads`() async {
    await #expect(processExitsWith: .success) {
      // It is registered before anything could have used OpenSSL, so it runs after all handlers that OpenSSL registers.
      atexit { if OPENSSL_init_crypto(0, nil) != 1 { _exit(1) } }
      _ = SHA256.hash([])
      exit(0)
    }
  }
}
