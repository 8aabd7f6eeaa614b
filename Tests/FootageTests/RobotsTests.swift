/// Finding robots on a network of its own, which has one interface and somebody who answers.
import Foundation
import TestSupport
import Testing

@Suite struct RobotsTests {
  /// Whether this process may make a network of its own.
  private static let canSeparate = (try? Command("unshare", "--net", "true").run().succeeded) == true

  private static let pin = "sha256/SDDfEqlPFzegAYJx64rZkiXM1XS7lV4smWiyd+v/j4A="

  /// Answers the first question with what is no DNS, and each one with a robot.
  private static let responder = """
    import socket, struct
    def label(text): return bytes([len(text)]) + text.encode()
    service = label("_footage") + label("_tcp") + label("local") + b"\\0"
    def record(name, kind, content):
        return name + struct.pack(">HHIH", kind, 1, 10, len(content)) + content
    instance = label("Footage on robot7") + b"\\xc0\\x0c"
    host = label("robot7") + b"\\xc0\\x1a"
    answer = struct.pack(">HHHHHH", 0, 0x8400, 0, 1, 0, 3) + record(service, 12, instance)
    answer += record(instance, 33, struct.pack(">HHH", 0, 0, 8443) + host)
    answer += record(instance, 16, label("txtvers=1") + label("pin=\(pin)")) + record(host, 1, bytes([192, 0, 2, 7]))
    asked = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    asked.bind(("", 5353))
    group = struct.pack("4s4s", socket.inet_aton("224.0.0.251"), socket.inet_aton("127.0.0.1"))
    asked.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, group)
    open("ready", "w").close()
    while True:
        question, peer = asked.recvfrom(9000)
        if service in question and question.endswith(b"\\x00\\x0c\\x80\\x01"):
            asked.sendto(b"nonsense", peer)
            asked.sendto(answer, peer)
    """

  /// - Parameters:
  ///   - isAnswered: whether there is a robot.
  ///   - avahi: what this machine's `avahi-browse` does.
  private func run(_ arguments: String, isAnswered: Bool = true, avahi: String = "exit 1") throws -> Command.Outcome {
    let folder = try TemporaryFolder()
    let browser = folder.path("avahi-browse")
    try "#!/bin/sh\n\(avahi)\n".write(toFile: browser, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: browser)
    try Self.responder.write(toFile: folder.path("responder.py"), atomically: true, encoding: .utf8)
    let answering =
      isAnswered
      ? "python3 responder.py & trap \"kill $!\" EXIT; for i in $(seq 600); do [ -e ready ] && break; sleep 0.1; done;"
      : ""
    return try Command(
      "unshare", "--net", "sh", "-c",
      """
      cd '\(folder.path(""))' || exit 1
      PATH=$PWD:$PATH
      ip link set lo up || exit 1
      \(answering)
      '\(FootageProgram.path)' robots --wait 1 \(arguments)
      """
    ).run()
  }

  @Test(.enabled(if: canSeparate, "a network of its own needs root"))
  func `what answers is listed, with its place and its pin`() throws {
    let outcome = try run("")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(
      outcome.output == """
        NAME               ADDRESS            NUMBERS    PIN (A HINT)
        Footage on robot7  robot7.local:8443  192.0.2.7  \(Self.pin)

        """)
  }

  @Test(.enabled(if: canSeparate, "a network of its own needs root"))
  func `programs get the same`() throws {
    let outcome = try run("--json")
    #expect(
      outcome.output == """
        {"robots":[{"name":"Footage on robot7","address":"robot7.local:8443","numbers":["192.0.2.7"],\
        "pinHint":"\(Self.pin)"}]}

        """)
  }

  /// As `avahi-browse` of 0.8 says it.
  private static let known = """
    +;eth0;IPv4;Arm\\032\\0402\\041;_footage._tcp;local
    =;eth0;IPv4;Arm\\032\\0402\\041;_footage._tcp;local;arm.local;192.0.2.9;8443;"pin=\(pin)" "path=/" "txtvers=1"
    """

  @Test(.enabled(if: canSeparate, "a network of its own needs root"))
  func `what this machine's Avahi knows is listed, and the network not asked`() throws {
    let outcome = try run(
      "", avahi: "[ \"$*\" = '--resolve --parsable --terminate _footage._tcp' ] && cat <<'E'\n\(Self.known)\nE")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(
      outcome.output == """
        NAME     ADDRESS         NUMBERS    PIN (A HINT)
        Arm (2)  arm.local:8443  192.0.2.9  \(Self.pin)

        """)
  }

  @Test(
    .enabled(if: canSeparate, "a network of its own needs root"),
    arguments: ["exec sleep 1000", "echo nonsense", ""])
  func `where Avahi hangs or knows nobody the network is asked`(avahi: String) throws {
    let outcome = try run("", avahi: avahi)
    #expect(outcome.output.contains("robot7.local:8443"), "\(outcome.errors)")
  }

  @Test(.enabled(if: canSeparate, "a network of its own needs root"))
  func `where nobody answers it says what helps`() throws {
    let outcome = try run("", isAnswered: false)
    #expect(outcome.status == 1 && outcome.output == "")
    #expect(outcome.errors.contains("no robot answered within 1 s"), "\(outcome.errors)")
  }
}
