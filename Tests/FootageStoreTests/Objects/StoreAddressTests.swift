import FootageBase
import Testing

@testable import FootageStore

@Suite struct StoreAddressTests {
  @Test(
    arguments: [
      ("https://store/recordings", "store", 443, "recordings", "", "https://store:443/recordings/"),
      ("https://STORE:9000/recordings/", "store", 9000, "recordings", "", "https://store:9000/recordings/"),
      ("https://store/recordings/fleet", "store", 443, "recordings", "fleet/", "https://store:443/recordings/fleet/"),
      ("https://store/recordings//a/b//", "store", 443, "recordings", "a/b/", "https://store:443/recordings/a/b/"),
      ("https://[2001:db8::1]:1/abc/x", "2001:db8::1", 1, "abc", "x/", "https://[2001:db8::1]:1/abc/x/"),
      (
        "HTTP://127.0.0.1:8080/recordings/x", "127.0.0.1", 8080, "recordings", "x/",
        "http://127.0.0.1:8080/recordings/x/"
      ),
      ("http://[::1]/recordings", "::1", 80, "recordings", "", "http://[::1]:80/recordings/"),
      ("https://store/rec/%C3%A9%20%3F", "store", 443, "rec", "é ?/", "https://store:443/rec/%C3%A9%20%3F/"),
    ] as [(String, String, UInt16, String, String, String)])
  func `an address is a host, a bucket and what keys begin with`(
    text: String, host: String, port: UInt16, bucket: String, prefix: String, description: String
  ) throws {
    let address = try StoreAddress(text)
    #expect(address.store.host == host)
    #expect(address.store.port == port)
    #expect(address.bucket == bucket)
    #expect(address.prefix == prefix)
    #expect(address.description == description)
    #expect(address.isEncrypted == text.lowercased().hasPrefix("https"))
    #expect(try StoreAddress(description) == address)
  }

  @Test(
    arguments: [
      ("store/recordings", .noScheme("store/recordings")),
      ("ftp://store/recordings", .otherScheme("ftp")),
      ("https://store", .noBucket), ("https://store/", .noBucket), ("https://store//a", .noBucket),
      ("https://store/ab", .malformedBucket("ab")), ("https://store/a%2Fb", .malformedBucket("a/b")),
      ("https://store/.../x", .malformedBucket("...")),
      ("https:///recordings", .malformedHost("")), ("https://store:0/recordings", .malformedHost("store:0")),
      ("https://key:secret@store/recordings", .credentialsInAddress),
      ("http://store/recordings", .unencrypted("store")), ("http://localhost/recordings", .unencrypted("localhost")),
      ("http://10.0.0.1/recordings", .unencrypted("10.0.0.1")),
      ("http://127.0.0.1.example/recordings", .unencrypted("127.0.0.1.example")),
      ("https://store/recordings?x", .query), ("https://store/recordings#x", .query),
      ("https://store/recordings/..", .malformedPrefix("../")),
      ("https://store/recordings/./a", .malformedPrefix("./a/")),
      ("https://store/recordings/%2E%2E/a", .malformedPrefix("../a/")),
      ("https://store/recordings/%0A", .malformedPrefix("\n/")),
      ("https://store/recordings/%FF", .malformedEncoding("%FF")),
      ("https://store/recordings/%4", .malformedEncoding("%4")),
      ("https://store/a b", .blanks), ("https://store/recordings\n", .blanks),
    ] as [(String, StoreAddressError)])
  func `what is no address is refused with the reason`(text: String, error: StoreAddressError) {
    #expect(throws: error) { try StoreAddress(text) }
    // The error does not repeat a secret.
    #expect(!error.description.contains("secret"))
  }

  @Test func `a virtual host has the bucket before the store's name, and needs a name for that`() throws {
    let address = try StoreAddress("https://s3.example/recordings/a", style: .virtualHost, region: "eu-1")
    #expect(address.server.host == "recordings.s3.example")
    #expect(address.hostField == "recordings.s3.example")
    #expect(address.path(of: "a/b c") == "/a/b%20c")
    #expect(address.path(of: nil) == "/")
    #expect(address.region == "eu-1")
    #expect(throws: StoreAddressError.bucketBeforeAddress("127.0.0.1")) {
      try StoreAddress("https://127.0.0.1/recordings", style: .virtualHost)
    }
    #expect(throws: StoreAddressError.bucketIsNoLabel("a.b.c")) {
      try StoreAddress("https://s3.example/a.b.c", style: .virtualHost)
    }
    #expect(throws: StoreAddressError.malformedRegion("a/b")) { try StoreAddress("https://s/rec", region: "a/b") }
  }

  @Test(
    arguments: [
      ("https://store/rec", "store"), ("https://store:80/rec", "store:80"), ("http://127.0.0.1/rec", "127.0.0.1"),
      ("http://127.0.0.1:443/rec", "127.0.0.1:443"), ("https://[::1]/rec", "[::1]"), ("https://[::1]:9/rec", "[::1]:9"),
    ])
  func `the Host field has no port that goes without saying`(text: String, field: String) throws {
    #expect(try StoreAddress(text).hostField == field)
  }

  @Test func `a path is percent-encoded once, with slashes as they are`() throws {
    let address = try StoreAddress("https://store/recordings/a")
    #expect(address.path(of: "a/b c/ü+~.mp4") == "/recordings/a/b%20c/%C3%BC%2B~.mp4")
    #expect(address.path(of: nil) == "/recordings")
  }

  @Test(
    arguments: [
      ("", false), ("/a", false), ("a", true), ("a//b", true), ("a/./b", false), ("a/..", false), ("...", true),
      ("a\u{1}", false), ("a\u{FFFE}", false), (String(repeating: "ü", count: 512), true),
      (String(repeating: "ü", count: 513), false),
    ])
  func `a key that no store keeps as it is is told`(key: String, isUsable: Bool) {
    #expect(ObjectKey.isUsable(key) == isUsable)
  }

  @Test func `keys are compared byte by byte, whatever Unicode takes for the same`() {
    #expect("é" == "e\u{301}")
    #expect(ObjectKey.precedes("e\u{301}", "é"))
    #expect(!ObjectKey.starts("é/x", with: "e\u{301}/"))
  }
}
