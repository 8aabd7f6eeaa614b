/// How a program ends whose threads are still at work with OpenSSL.
import CFootageOpenSSL
import FootageDigest
import Glibc
import Testing

struct ProcessEndTests {
  @Test func `a program that calls exit takes OpenSSL from none of its threads`() async {
    await #expect(processExitsWith: .success) {
      // Registered before anything could have used OpenSSL, so it is called after all that OpenSSL registers.
      atexit { if OPENSSL_init_crypto(0, nil) != 1 { _exit(1) } }
      _ = SHA256.hash([])
      exit(0)
    }
  }
}
