import Foundation
@testable import FootageClient
import TestSupport
import Testing

/// The text that people read when something goes wrong.
@Suite struct ErrorWordingTests {
  static let key = RecordingKey(robot: "robot7", name: "front/one")
  static let pin = required(PublicKeyPin(digest: [UInt8](repeating: 7, count: 32)))
  static let trust: [TrustFailure] = [
    .otherKey, .nobodyIsTrusted, .keyNotProven, .outOfDate(.expired(since: 0)), .notFromAuthority("words"),
    .otherHostName, .weak("words"), .unreadableCertificate,
  ].map { TrustFailure($0, host: "robot7.local:8443", seen: pin, expected: []) }
  static let files: [FileFailure] = [.noRoom, .noPermission, .notFound, .inUse, .broken, .notOurs, .other].map {
    FileFailure($0, "/a: words")
  }
  static let plain: [RobotError] = [
    .address("a b"), .unreachable("words"), .localNetworkDenied, .unavailable(status: 503, reason: "words"),
    .notAllowed(status: 403, reason: "words"),
    .notKept(name: "front/one", reason: "words"), .outOfRange(name: "front/one", length: 7),
    .replaced(name: "front/one"), .malformed("words"),
    .shortBody(name: "front/one", received: 1, expected: 2), .notSupported("words"),
    .unexpected(status: 418, reason: "words"),
    .cancelled, .system(SystemFailure(.threads, "words")), .system(SystemFailure(.other, "words")),
    .cache(.owned(folder: "/a")),
  ]
  static let notFound: [RobotError] = [
    "not-found", "not-ready", "refused", "gone", "no-such-view", "no-footage", "of-tomorrow",
  ].map { .notFound(name: "front/one", code: $0, reason: "words") }
  static let notMade: [RobotError] = ["too-long", "outside", "formats-differ", "of-tomorrow"].map {
    .notMade(name: "front/one", code: $0, reason: "words")
  }
  static let identities: [IdentityFailure] = [
    .wrongPassphrase, .noKey, .noCertificate, .keyDoesNotBelong, .expired(since: 0), .unreadable("words"),
    .tooManyIterations(1, limit: 1), .tooMuchMemory(1, limit: 1), .legacyCipher, .pemNotSupported, .notInKeychain,
    .keychainRefused("words"), .refused("words"), .needed,
  ]
  static let pairings: [PairingError] = [
    .pinChanged(robot: "robot7.local:8443", remembered: [], seen: pin), .otherRobot(pin, robot: "robot7.local:8443"),
    .unreadable("/a", line: 3), .notPaired(robot: "robot7.local:8443"), .file("words"),
  ]
  static let links: [PairingLinkError] = [
    .noLink, .tooLong(byteCount: 3_000), .encoding("name"), .doubled("at"), .missing("pin"), .name("front/one"),
    .address("a b"), .addressCount(9), .pin("next", "x"),
  ]
  static let robotErrors: [RobotError] =
    plain + notFound + notMade + trust.map(RobotError.trust) + files.map(RobotError.file)
    + identities.map(RobotError.identity) + pairings.map(RobotError.pairing)
  static let cacheErrors: [MediaCacheError] =
    [
      .owned(folder: "/a"), .notBindable(key, RecordingVersion(tag: "\"t\"", length: 1)), .notCached(key),
      .outside(key, 0..<1, length: 1), .unreachable(key, .unreachable("words")),
      .replaced(key, .replaced(name: "front/one")),
      .refused(key, .cancelled), .offline(key), .notComplete(key, cachedBytes: 1, length: 2), .damaged(key, 0..<1),
      .proxy("words"), .cancelled,
    ] + files.flatMap { [.folder($0), .database($0), .file($0), .noRoom(key, reason: $0)] }
  static let downloads: [DownloadQueue.Failure] = [
    .robot(.cancelled), .cache(.cancelled), .earlier("words"),
  ]
  static let discoveries: [DiscoveryError] = [.notAllowed, .unavailable("words")]
  static let all: [any WordedError] = discoveries + robotErrors + cacheErrors + links + malformedPins + downloads

  static var malformedPins: [MalformedPin] {
    do throws(MalformedPin) { _ = try TrustPin.spki("sha1/") } catch { return [error] }
    return []
  }

  @Test(arguments: ErrorLanguage.allCases)
  func `every error has words in every language, with what they speak of in them`(_ language: ErrorLanguage) {
    for error in Self.all {
      let problem = error.wording.problem(in: language, of: nil)
      let advice = error.wording.advice(in: language, of: nil)
      #expect(!problem.isEmpty && advice?.isEmpty != true)
      #expect(!"\(problem)\(advice ?? "")".contains { "{}".contains($0) }, "\(problem) \(advice ?? "")")
    }
  }

  @Test func `every topic is that of some error, and has a key of its own`() {
    #expect(Set(Self.all.map(\.wording.topic)) == Set(ErrorTopic.allCases))
    #expect(Set(ErrorWording.allKeys).count == ErrorTopic.allCases.count)
  }

  @Test(arguments: ErrorTopic.allCases)
  func `languages say the same: they speak of the same things`(_ topic: ErrorTopic) {
    func names(_ words: (problem: String, advice: String?)) -> [String] {
      "\(words.problem)\(words.advice ?? "")".split(separator: "{", omittingEmptySubsequences: false).dropFirst()
        .map { String($0.prefix { $0 != "}" }) }.sorted()
    }
    #expect(names(topic.english) == names(topic.german))
    #expect(names(topic.english) == names(topic.chinese))
    #expect((topic.english.advice == nil) == (topic.german.advice == nil))
    #expect((topic.english.advice == nil) == (topic.chinese.advice == nil))
    // No text was left untranslated.
    #expect(topic.english.problem != topic.german.problem && topic.english.problem != topic.chinese.problem)
  }

  @Test func `an alert of Foundation says the sentence and what can be done`() {
    let error: any Error = RobotError.unreachable("timed out")
    #expect(error.localizedDescription == RobotError.unreachable("").wording.problem())
    #expect(
      (error as NSError).localizedRecoverySuggestion == RobotError.unreachable("").wording.advice())
  }

  @Test func `what a robot says is no placeholder`() {
    let error = RobotError.notFound(name: "{reason}", code: "refused", reason: "of {name}")
    #expect(error.wording.problem(in: .english, of: nil) == "{reason} cannot be played.")
    #expect(error.wording.advice(in: .english, of: nil) == "The robot reports: of {name}")
  }

  @Test func `an app's own table goes first`() throws {
    let folder = URL.temporaryDirectory.appending(path: "footage-words-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let table = folder.appending(path: "en.lproj")
    try FileManager.default.createDirectory(at: table, withIntermediateDirectories: true)
    try #""recording.gone" = "Too late: {name}";"#.write(
      to: table.appending(path: "Footage.strings"), atomically: true, encoding: .utf8)
    let bundle = try #require(Bundle(url: folder))
    let wording = RobotError.notFound(name: "front/one", code: "gone", reason: "words").wording
    #expect(wording.problem(in: .german, of: bundle) == "Too late: front/one")
    #expect(wording.advice(in: .german, of: bundle) == "Laden Sie die Liste neu.")
  }

  @Test(
    arguments: [
      ([], .english), (["fr"], .english), (["de-AT"], .german), (["fr-CH", "de_CH", "en"], .german),
      (["zh-Hant-TW"], .chinese),
      (["EN-GB", "de"], .english), (["x"], .english), ([""], .english),
    ] as [([String], ErrorLanguage)])
  func `the first language that is spoken is taken`(_ preferred: [String], _ language: ErrorLanguage) {
    #expect(ErrorLanguage(preferring: preferred) == language)
  }

  @Test(
    arguments: [
      ([:], []), (["LANG": "de_DE.UTF-8"], ["de_DE"]), (["LANG": "de_DE.UTF-8", "LC_MESSAGES": "zh_CN"], ["zh_CN"]),
      (["LC_ALL": "en_GB", "LC_MESSAGES": "zh_CN", "LANG": "de"], ["en_GB"]),
      (["LC_ALL": "", "LANG": "de@euro"], ["de"]),
      (["LANGUAGE": "fr:de", "LANG": "en_US.UTF-8"], ["fr", "de", "en_US"]), (["LANGUAGE": "", "LANG": "de"], ["de"]),
      // Messages are not translated then, whatever the other variables say.
      (["LANGUAGE": "de", "LANG": "C.UTF-8"], []), (["LANGUAGE": "de", "LC_ALL": "POSIX"], []),
      (["LANGUAGE": "de"], []),
    ] as [([String: String], [String])])
  func `an environment names its languages as gettext reads them`(_ environment: [String: String], _ names: [String]) {
    #expect(ErrorLanguage.identifiers(in: environment) == names)
  }
}
