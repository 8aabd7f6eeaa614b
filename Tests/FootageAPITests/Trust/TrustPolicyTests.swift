/// The decision to trust a peer, for every kind of pin and every kind of date.
import Testing

@testable import FootageAPI

@Suite struct TrustPolicyTests {
  static let day: Int64 = 86_400
  static let now: Int64 = 1_795_000_000  // 2026-11-18
  static let key = pin(1)
  static let other = pin(2)

  private static func pin(_ byte: UInt8) -> PublicKeyPin {
    guard let pin = PublicKeyPin(digest: [UInt8](repeating: byte, count: 32)) else { preconditionFailure("32 bytes") }
    return pin
  }

  static func certificate(
    from start: Int64 = -10, to end: Int64 = 10, securityBits: Int = 112
  ) -> PresentedCertificate {
    PresentedCertificate(
      der: [0x30, 0x00], digest: [UInt8](repeating: 3, count: 32), publicKey: key, securityBits: securityBits,
      notBefore: now + start * day, notAfter: now + end * day)
  }

  static func judge(
    _ policy: TrustPolicy, _ certificate: PresentedCertificate = certificate(),
    finding: @escaping (TrustAnchor, TrustPolicy.Dates) -> AuthorityFinding = { _, _ in
      .invalid("self-signed certificate")
    }
  ) throws(TrustFailure) -> [TrustWarning] {
    try policy.judge(certificate, host: "robot.local:8443", now: now, authorityFinding: finding)
  }

  static let fittingPins: [TrustPin] = [
    .publicKey(key), .certificate(PinnedCertificate(form: .whole([0x30, 0x00]))),
    .certificate(PinnedCertificate(form: .digest([UInt8](repeating: 3, count: 32)))),
  ]
  static let otherPins: [TrustPin] = [
    .publicKey(other), .certificate(PinnedCertificate(form: .whole([0x30, 0x01, 0x00]))),
    .certificate(PinnedCertificate(form: .digest([UInt8](repeating: 4, count: 32)))),
    .authority(PinnedAuthority(der: [0x30, 0x00])),
  ]

  @Test(arguments: fittingPins)
  func `who has the pinned key or certificate is trusted`(pin: TrustPin) throws {
    #expect(try Self.judge(.pinned([pin])) == [])
  }

  @Test(arguments: fittingPins)
  func `one pin that fits is enough among several`(pin: TrustPin) throws {
    #expect(try Self.judge(.pinned(Self.otherPins + [pin])) == [])
  }

  @Test(arguments: fittingPins)
  func `a key that could be computed from its public half is nobody's, pinned or not`(pin: TrustPin) {
    let failure = TrustFailure(
      .weak("its key has a strength of 80 bits"), host: "robot.local:8443", seen: Self.key, expected: [pin])
    #expect(throws: failure) { try Self.judge(.pinned([pin]), Self.certificate(securityBits: 80)) }
    #expect(throws: failure.with("its key has a strength of 111 bits")) {
      try Self.judge(.pinned([pin]), Self.certificate(securityBits: 111))
    }
  }

  @Test(arguments: otherPins)
  func `who has another key is not trusted, and the failure says what it showed`(pin: TrustPin) {
    #expect {
      try Self.judge(.pinned([pin]))
    } throws: { error in
      guard let failure = error as? TrustFailure else { return false }
      let isRightReason =
        if case .authority = pin { failure.reason == .notFromAuthority("self-signed certificate") } else {
          failure.reason == .otherKey
        }
      return isRightReason && failure.seen == Self.key && failure.expected == [pin]
        && failure.host == "robot.local:8443"
    }
  }

  @Test(arguments: [TrustPolicy.Dates?.none, .warn, .enforce])
  func `without pins nobody is trusted`(dates: TrustPolicy.Dates?) {
    #expect(throws: TrustFailure(.nobodyIsTrusted, host: "robot.local:8443", seen: Self.key, expected: [])) {
      try Self.judge(.pinned([], dates: dates)) { _, _ in .valid([]) }
    }
  }

  static let expired = certificate(from: -10, to: -1)
  static let early = certificate(from: 1, to: 10)

  @Test(arguments: fittingPins)
  func `dates of a pinned key warn unless they are enforced`(pin: TrustPin) throws {
    let expiry = TrustWarning.expired(since: Self.now - Self.day)
    let beginning = TrustWarning.notYetValid(until: Self.now + Self.day)
    #expect(try Self.judge(.pinned([pin]), Self.expired) == [expiry])
    #expect(try Self.judge(.pinned([pin], dates: .warn), Self.early) == [beginning])
    #expect(throws: TrustFailure(.outOfDate(expiry), host: "robot.local:8443", seen: Self.key, expected: [pin])) {
      try Self.judge(.pinned([pin], dates: .enforce), Self.expired)
    }
    #expect(throws: TrustFailure(.outOfDate(beginning), host: "robot.local:8443", seen: Self.key, expected: [pin])) {
      try Self.judge(.pinned([pin], dates: .enforce), Self.early)
    }
  }

  @Test(
    arguments: [(nil, .enforce), (.enforce, .enforce), (.warn, .warn)] as [(TrustPolicy.Dates?, TrustPolicy.Dates)])
  func `dates under an authority are enforced unless they only warn`(
    asked: TrustPolicy.Dates?, given: TrustPolicy.Dates
  ) throws {
    var seen: [TrustPolicy.Dates] = []
    let warning = TrustWarning.expired(since: 0)
    let warnings = try Self.judge(.pinned([.authority(PinnedAuthority(der: [1]))], dates: asked)) { anchor, dates in
      #expect(anchor == .certificate([1]))
      seen.append(dates)
      return .valid([warning])
    }
    #expect(seen == [given])
    #expect(warnings == [warning])
  }

  @Test func `every authority is asked until one vouches, and none when a key fits`() throws {
    var asked: [TrustAnchor] = []
    func finding(anchor: TrustAnchor, dates: TrustPolicy.Dates) -> AuthorityFinding {
      asked.append(anchor)
      return anchor == .certificate([2]) ? .valid([]) : .invalid("no")
    }
    _ = try Self.judge(
      .pinned([
        .authority(PinnedAuthority(der: [1])), .authority(PinnedAuthority(der: [2])),
        .authority(PinnedAuthority(der: [3])),
      ]), finding: finding)
    #expect(asked == [.certificate([1]), .certificate([2])])
    asked = []
    _ = try Self.judge(.pinned([.authority(PinnedAuthority(der: [1])), .publicKey(Self.key)]), finding: finding)
    #expect(asked == [])
  }

  @Test func `an authority that vouches too weakly is told so`() {
    let pins: [TrustPin] = [.authority(PinnedAuthority(der: [1]))]
    #expect(throws: TrustFailure(.weak("MD5"), host: "robot.local:8443", seen: Self.key, expected: pins)) {
      try Self.judge(.pinned(pins)) { _, _ in .weak("MD5") }
    }
  }

  @Test func `the nearest miss among authorities is the reason`() {
    let pins: [TrustPin] = [
      .authority(PinnedAuthority(der: [1])), .authority(PinnedAuthority(der: [2])),
      .authority(PinnedAuthority(der: [3])),
    ]
    #expect(throws: TrustFailure(.otherHostName, host: "robot.local:8443", seen: Self.key, expected: pins)) {
      try Self.judge(.pinned(pins)) { anchor, _ in anchor == .certificate([2]) ? .otherHostName : .invalid("no") }
    }
  }

  @Test func `the system's authorities are asked by no policy but their own, and dates count`() throws {
    var asked: [TrustAnchor] = []
    _ = try Self.judge(.systemAuthorities) { anchor, dates in
      asked.append(anchor)
      #expect(dates == .enforce)
      return .valid([])
    }
    #expect(asked == [.system])
    #expect(throws: TrustFailure(.otherHostName, host: "robot.local:8443", seen: Self.key, expected: [])) {
      try Self.judge(.systemAuthorities) { _, _ in .otherHostName }
    }
    for policy in [TrustPolicy.pinned([]), .pinned([.publicKey(Self.other)])] {
      #expect(throws: TrustFailure.self) {
        try Self.judge(policy) { anchor, _ in
          Issue.record("\(anchor) was asked")
          return .valid([])
        }
      }
    }
  }

  @Test func `a file of authorities is read whole, or not at all`() throws {
    func pem(_ base64: String) -> String { "-----BEGIN CERTIFICATE-----\n\(base64)\n-----END CERTIFICATE-----\n" }
    let one = pem("MAA="), other = pem("MAEA")
    #expect(try TrustPin.authorities([0x30, 0x00]) == [.authority(PinnedAuthority(der: [0x30, 0x00]))])
    #expect(
      try TrustPin.authorities(Array("two of them\n\(one)\n\(other)".utf8)) == [
        .authority(PinnedAuthority(der: [0x30, 0x00])), .authority(PinnedAuthority(der: [0x30, 0x01, 0x00])),
      ])
    let refused = ["", "nothing", one + pem("MAE="), one + pem("*"), String(repeating: one, count: 33)]
    for text in refused {
      #expect(throws: MalformedPin.self, "\(text.prefix(80))") { try TrustPin.authorities(Array(text.utf8)) }
    }
  }
}

extension TrustFailure {
  fileprivate func with(_ weakness: String) -> TrustFailure {
    TrustFailure(.weak(weakness), host: host, seen: seen, expected: expected)
  }
}

@Suite struct TrustWordsTests {
  private func text(_ reason: TrustFailure.Reason, seen: PublicKeyPin? = TrustPolicyTests.key) -> String {
    TrustFailure(reason, host: "robot:1", seen: seen, expected: [.publicKey(TrustPolicyTests.other)]).description
  }

  private let seen = TrustPolicyTests.key.description
  private let expected = TrustPolicyTests.other.description

  @Test func `another key is told with both pins and with what to do`() {
    #expect(
      text(.otherKey) == """
        robot:1 shows the key \(seen), but \(expected) is pinned: nothing was sent. Compare the key with the pin on \
        the robot's console. If the robot was given a new key, pin that one; if not, another machine answers in its \
        place
        """)
  }

  @Test func `every other reason says what was seen and that nothing was sent`() {
    let warning = TrustWarning.expired(since: 1_795_000_000)
    for (reason, words) in [
      (.nobodyIsTrusted, "nothing is pinned"), (.keyNotProven, "does not have its private key"),
      (.outOfDate(warning), "expired on 2026-11-18"),
      (.notFromAuthority("why"), "whose certificate no pinned authority has issued (why)"),
      (.otherHostName, "certificate is for another name"), (.weak("why"), "too weak to trust (why)"),
      (.unreadableCertificate, "cannot be read"),
    ] as [(TrustFailure.Reason, String)] {
      #expect(text(reason).contains(words))
      #expect(text(reason).contains("nothing was sent"))
      #expect(text(reason).contains(seen) == (reason != .unreadableCertificate))
    }
  }

  @Test func `an identity prints without its secrets`() {
    let source = IdentitySource.pkcs12([1, 2, 3], passphrase: "secret")
    var dumped = ""
    dump(source, to: &dumped)
    for shown in ["\(source)", String(reflecting: source), dumped] { #expect(!shown.contains("secret")) }
    let secret = Secret("hidden")
    dumped = ""
    dump(secret, to: &dumped)
    for shown in ["\(secret)", String(reflecting: secret), dumped] { #expect(!shown.contains("hidden")) }
  }

  @Test func `secrets are equal by their bytes, and so are identities`() {
    #expect(Secret("a") == Secret([0x61]) && Secret("a").hashValue == Secret("a").hashValue)
    #expect(Secret("") != Secret("a") && Secret("ab") != Secret("aa"))
    #expect(IdentitySource.pem([1], passphrase: "a") == .pem([1], passphrase: "a"))
    #expect(IdentitySource.pem([1], passphrase: "a") != .pem([1], passphrase: "b"))
    #expect(IdentitySource.pem([1]) != .pem([1], passphrase: ""))
  }
}
