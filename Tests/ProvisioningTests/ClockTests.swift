/// A machine whose clock was never set, or jumps. A preloaded library replaces the clock.
import Foundation
import LinuxTestSupport
import Testing

@Suite struct ClockTests {
  let certs: CertificateFolder
  let tools: TemporaryFolder

  init() throws {
    certs = try CertificateFolder()
    tools = try TemporaryFolder()
    let source = """
      #include <stdlib.h>
      #include <sys/time.h>
      #include <time.h>
      static time_t set(void) { const char *text = getenv("TEST_CLOCK"); return text ? atol(text) : 0; }
      time_t time(time_t *result) { if (result) *result = set(); return set(); }
      int gettimeofday(struct timeval *result, void *zone) { result->tv_sec = set(); result->tv_usec = 0; return 0; }
      int clock_gettime(clockid_t clock, struct timespec *result) {
        result->tv_sec = set(); result->tv_nsec = 0; return 0;
      }
      """
    try Data(source.utf8).write(to: URL(fileURLWithPath: tools.path("clock.c")))
    let compiled = try Command(
      "clang", "-w", "-shared", "-fPIC", "-o", tools.path("clock.so"), tools.path("clock.c")
    ).run()
    try #require(compiled.succeeded, "\(compiled.errors)")
  }

  private func generate(at seconds: Int, _ arguments: String...) throws -> Command.Outcome {
    let environment = ["LD_PRELOAD": tools.path("clock.so"), "TEST_CLOCK": "\(seconds)"]
    let outcome = try certs.command(arguments, environment: environment).run()
    try #require(outcome.succeeded, "\(outcome.errors)")
    return outcome
  }

  @Test func `a clock in 1970 is named and dates count from a day that is past`() throws {
    let outcome = try generate(at: 86_400 * 3)
    #expect(outcome.errors.contains("this machine's clock shows 1970-01-04"))
    let validity = try certs.validity()
    #expect(validity.contains(1_767_225_600))
    #expect(validity.count == 825 * 86_400)
  }

  @Test func `a clock in 1970 does not renew, and counts from the certificate that is there`() throws {
    _ = try generate(at: 1_900_000_000, "--name", "one.example")
    let before = try certs.bytes("server.pem")
    _ = try generate(at: 60)
    #expect(try certs.bytes("server.pem") == before)
    _ = try generate(at: 60, "--name", "two.example")
    #expect(try certs.validity().contains(1_900_000_000))
  }

  @Test func `an expired certificate is issued again with the same pin`() throws {
    let first = try generate(at: 1_800_000_000)
    let second = try generate(at: 1_900_000_000)
    #expect(second.errors.contains("expired on 2029-04-1"))
    #expect(second.output == first.output)
    #expect(try certs.validity().contains(1_900_000_000))
  }

  @Test func `a certificate made by a clock that ran ahead is issued again`() throws {
    let first = try generate(at: 1_900_000_000)
    let second = try generate(at: 1_800_000_000)
    #expect(second.errors.contains("was not valid before 2030-03-17"))
    #expect(second.output == first.output)
    #expect(try certs.validity().contains(1_800_000_000))
  }

  @Test func `the list of the revoked is renewed in its last year`() throws {
    _ = try generate(at: 1_800_000_000)
    let first = try certs.bytes("client-ca.crl")
    _ = try generate(at: 1_800_000_000 + 86_400 * 365 * 8)
    #expect(try certs.bytes("client-ca.crl") == first)
    _ = try generate(at: 1_800_000_000 + 86_400 * 365 * 9 + 86_400)
    #expect(try certs.bytes("client-ca.crl") != first)
  }

  @Test(arguments: [951_782_400, 1_709_164_800, 1_735_603_200, 4_107_542_400])
  func `dates are right around leap days and years' ends`(seconds: Int) throws {
    // The script reads its certificate's date only when the clock is unset. Both directions of its calendar are tested.
    _ = try generate(at: max(seconds, 1_800_000_000))
    let first = try certs.validity()
    _ = try generate(at: 0, "--name", "two.example")
    #expect(try certs.validity().lowerBound == first.lowerBound - 3600)
  }

  /// 2051-12-24, when certificates write years with four digits.
  private static let afterShortYears = 2_587_000_000

  private func admits(_ client: String, at seconds: Int) throws -> Bool {
    try certs.openssl(
      "verify", "-attime", "\(seconds)", "-purpose", "sslclient", "-CAfile", certs.path("client-ca.pem"), "-crl_check",
      "-CRLfile", certs.path("client-ca.crl"), certs.path("clients/\(client).pem")
    ).succeeded
  }

  @Test func `after 2049 certificates hold, and clients are shut out and made as before`() throws {
    let now = Self.afterShortYears
    _ = try generate(at: now, "--client", "alice", "--client", "bob")
    #expect(try certs.validity().contains(now))
    #expect(try certs.validity("clients/alice.pem").upperBound > now + 9 * 365 * 86_400)
    #expect(try admits("alice", at: now + 1))
    _ = try generate(at: now + 10, "--revoke", "alice")
    #expect(try certs.revocationCount() == 1)
    _ = try generate(at: now + 20, "--client", "bob", "--client", "carol", "--force")
    #expect(try certs.revocationCount() == 2)
    for (client, isAdmitted) in [("alice", false), ("bob", true), ("carol", true)] {
      #expect(try admits(client, at: now + 30) == isAdmitted, "\(client)")
    }
  }

  @Test func `an authority that ends in 2049 is prolonged with its key, for those whom it let in`() throws {
    let now = Self.afterShortYears
    _ = try generate(at: 1_900_000_000, "--client", "alice")
    let subject = try #require(
      try certs.openssl("x509", "-in", certs.path("client-ca.pem"), "-noout", "-subject").output
        .firstMatch(of: /CN ?= ?(.*)\n/)
    ).1
    let days = (2_524_607_999 - Int(Date().timeIntervalSince1970)) / 86_400
    let aged = try certs.openssl(
      "req", "-x509", "-key", certs.path("client-ca.key"), "-subj", "/CN=\(subject)", "-days", "\(days)", "-out",
      certs.path("client-ca.pem"))
    try #require(aged.succeeded, "\(aged.errors)")
    let key = try certs.bytes("client-ca.key")
    let outcome = try generate(at: now, "--client", "bob")
    #expect(
      outcome.errors.contains("renewed client-ca.pem, which would have expired on 2049-12-3"), "\(outcome.errors)")
    #expect(try certs.bytes("client-ca.key") == key)
    #expect(try admits("alice", at: 2_100_000_000))
    #expect(try admits("bob", at: now + 1))
    let again = try certs.bytes("client-ca.pem")
    _ = try generate(at: now + 10, "--client", "bob")
    #expect(try certs.bytes("client-ca.pem") == again)
  }
}
