/// Finding robots on a separate network with one interface and a responder.
import Foundation
import LinuxTestSupport
import Testing

@Suite struct RobotsTests {
  /// True if this process may create a network namespace.
  private static let canSeparate = (try? Command("unshare", "--net", "true").run().succeeded) == true

  private static let pin = "sha256/SDDfEqlPFzegAYJx64rZkiXM1XS7lV4smWiyd+v/j4A="

  /// A responder that answers the first question with something other than DNS, and every question with a robot.
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
  ///   - isAnswered: true if there is a robot.
  ///   - pairings: the stored pairings.
  private func run(
    _ arguments: String, isAnswered: Bool = true, pairings: String = ""
  ) throws -> Command.Outcome {
    let folder = try TemporaryFolder()
    try Self.responder.write(toFile: folder.path("responder.py"), atomically: true, encoding: .utf8)
    try FileManager.default.createDirectory(atPath: folder.path("footage"), withIntermediateDirectories: true)
    try pairings.write(toFile: folder.path("footage/robots"), atomically: true, encoding: .utf8)
    let answering =
      isAnswered
      ? "python3 responder.py & trap \"kill $!\" EXIT; for i in $(seq 600); do [ -e ready ] && break; sleep 0.1; done;"
      : ""
    return try Command(
      "unshare", "--net", "sh", "-c",
      """
      cd '\(folder.path(""))' || exit 1
      ip link set lo up || exit 1
      \(answering)
      export XDG_CONFIG_HOME=$PWD DBUS_SYSTEM_BUS_ADDRESS=unix:path=$PWD/no-bus
      '\(FootageProgram.path)' robots --wait 2 \(arguments)
      """
    ).run()
  }

  @Test(.enabled(if: canSeparate, "a network of its own needs root"))
  func `what answers is listed, with its place and its pin`() throws {
    let outcome = try run("")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(
      outcome.output == """
        NAME               ADDRESS            IP ADDRESSES  PIN (HINT)
        Footage on robot7  robot7.local:8443  192.0.2.7     \(Self.pin)

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

  @Test(.enabled(if: canSeparate, "a network of its own needs root"))
  func `a robot that was paired is called as it was then, if its pin is that robot's`() throws {
    let paired = try run("", pairings: "old.test:8443 \(Self.pin) name:Arm%202\n")
    #expect(
      paired.lines.count == 2 && paired.lines[1].hasSuffix("\(Self.pin)  Arm 2 (old.test:8443)"), "\(paired.output)")
    // A device at its address with another pin is another robot.
    let other = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    #expect(try run("", pairings: "robot7.local:8443 \(other) name:arm\n").lines.last?.hasSuffix(Self.pin) == true)
    let json = try run("--json", pairings: "old.test:8443 \(Self.pin) name:Arm%202\n")
    #expect(json.output.contains(#""mayBe":"Arm 2""#), "\(json.output)")
  }

  // MARK: Avahi

  private static let hasAvahi =
    canSeparate
    && ["avahi-daemon", "dbus-daemon"].allSatisfy { (try? Command($0, "--version").run().succeeded) == true }

  /// A network of two interfaces, a bus and Avahi, which all end with the namespace.
  private static let avahi = """
    mount -t tmpfs tmpfs /run && mkdir -p /run/dbus /run/avahi-daemon services || exit 1
    mount --bind services /etc/avahi/services || exit 1
    ip link set lo up && ip link add v0 type veth peer name v1 && ip addr add 192.0.2.7/24 dev v0 || exit 1
    ip link set v0 up && ip link set v1 up || exit 1
    sed -e 's|@PORT@|8443|' -e 's|@PIN@|\(pin)|' "$PACKAGE/avahi.service" >services/footage.service
    dbus-daemon --config-file=bus.conf --nofork --nopidfile >bus.log 2>&1 &
    bus=$!
    trap 'kill $bus' EXIT
    for i in $(seq 100); do [ -S /run/dbus/system_bus_socket ] && break; sleep 0.1; done
    avahi-daemon --no-drop-root --no-chroot --no-rlimits -f avahi.conf >avahi.log 2>&1 &
    trap 'kill $! $bus' EXIT
    """
  private static let bus = """
    <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
     "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
    <busconfig>
      <type>session</type>
      <listen>unix:path=/run/dbus/system_bus_socket</listen>
      <auth>EXTERNAL</auth>
      <policy context="default">
        <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
      </policy>
    </busconfig>
    """

  @Test(.enabled(if: hasAvahi, "avahi-daemon and dbus-daemon are there, and a network of its own"))
  func `Avahi on this machine says what it knows over the bus`() throws {
    let folder = try TemporaryFolder()
    try Self.bus.write(toFile: folder.path("bus.conf"), atomically: true, encoding: .utf8)
    try "[server]\nhost-name=robot7\n".write(toFile: folder.path("avahi.conf"), atomically: true, encoding: .utf8)
    let outcome = try Command(
      "unshare", "--net", "--mount", "sh", "-c",
      """
      cd '\(folder.path(""))' || exit 1
      PACKAGE='\(Checkout.folder.path)/scripts/package'
      \(Self.avahi)
      for i in $(seq 30); do
        said=$('\(FootageProgram.path)' robots --wait 2 --json) && case $said in *127.0.0.1*) break ;; esac
      done
      echo "$said"
      """
    ).run()
    // Only Avahi reports addresses that lead to this machine itself.
    #expect(
      outcome.output.contains(#"{"name":"Footage on robot7","address":"robot7.local:8443","numbers":["#)
        && outcome.output.contains(#""127.0.0.1""#) && outcome.output.contains(#""pinHint":"\#(Self.pin)""#),
      "\(outcome.output) \(outcome.errors) \((try? text(of: folder.path("avahi.log"))) ?? "")")
  }

  @Test(.enabled(if: canSeparate, "a network of its own needs root"))
  func `where nobody answers it says what helps`() throws {
    let outcome = try run("", isAnswered: false)
    #expect(outcome.status == 1 && outcome.output == "")
    #expect(outcome.errors.contains("no robot answered within 2 s"), "\(outcome.errors)")
  }
}
