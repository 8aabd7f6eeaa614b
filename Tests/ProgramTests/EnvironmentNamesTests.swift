import Foundation
import LinuxTestSupport
import Testing

@testable import FootageServer
@testable import FootageCommands

/// Variables that begin with `FOOTAGE_`, and settings with their origins.
@Suite struct EnvironmentNamesTests {
  @Test func `what Kubernetes says of services is no option's, and nobody's mistake`() {
    let ofServices = ["FOOTAGE", "FOOTAGE_WEB"].flatMap { service in
      [
        "SERVICE_HOST", "SERVICE_PORT", "SERVICE_PORT_HTTPS", "PORT", "PORT_8443_TCP", "PORT_8443_TCP_PROTO",
        "PORT_8443_TCP_PORT", "PORT_8443_TCP_ADDR",
      ].map { "\(service)_\($0)" }
    }
    #expect(EnvironmentNames.unknown(ofServices) == [])
    #expect(EnvironmentNames.unknown(ofServices + ["FOOTAGE_PORTS"]) == ["FOOTAGE_PORTS"])
    #expect(EnvironmentNames.unknown(["FOOTAGE_PORT"]) == ["FOOTAGE_PORT"])
  }

  @Test func `what is no option's variable is told, with what may have been meant`() {
    let names = [
      "FOOTAGE_CLIENT_AUTHS", "FOOTAGE_KEEPFREE", "FOOTAGE_RECORDING", "FOOTAGE_KEEP_FREE", "FOOTAGE_STATE", "HOME",
      "FOOTAGE_STATE_DIR", "FOOTAGE_P12_PASSPHRASE", "FOOTAGE_", "FOOTAGE_ROBOT", "FOOTAGE_SOMETHING_ELSE",
    ]
    let unknown = EnvironmentNames.unknown(names)
    #expect(
      unknown
        == ["FOOTAGE_", "FOOTAGE_CLIENT_AUTHS", "FOOTAGE_KEEPFREE", "FOOTAGE_RECORDING", "FOOTAGE_SOMETHING_ELSE"])
    // In a name of three letters, two changes are too many: FOOTAGE_QR is a different word.
    #expect(!EnvironmentNames.words("FOOTAGE_SRC").contains("perhaps you meant"))
    #expect(EnvironmentNames.words("FOOTAGE_KEEPFREE").hasSuffix("; perhaps you meant FOOTAGE_KEEP_FREE"))
    #expect(EnvironmentNames.words("FOOTAGE_CLIENT_AUTHS").hasSuffix("; perhaps you meant FOOTAGE_CLIENT_AUTH"))
    #expect(EnvironmentNames.words("FOOTAGE_SOMETHING_ELSE").hasSuffix(" belongs to no option and is ignored"))
  }

  /// Every variable that the users' scripts read must be a known one.
  @Test func `no script reads a variable that would be warned of`() throws {
    var names: Set<String> = []
    for script in ["scripts/gen-certs.sh", "scripts/package/prepare", "scripts/package/footage.default"] {
      let text = try String(contentsOfFile: Checkout.path(script), encoding: .utf8)
      for match in text.matches(of: /FOOTAGE_[A-Z0-9_]*[A-Z0-9]/) { names.insert(String(match.0)) }
    }
    #expect(names.count > 5 && EnvironmentNames.unknown(Array(names)) == [])
  }

  /// Every server that such a script starts would treat the variable as the operator's.
  @Test func `no script of builds and tests sets the variable of an option`() throws {
    var names: Set<String> = []
    for folder in ["scripts", "scripts/lib", ".ci"] {
      for file in try FileManager.default.contentsOfDirectory(atPath: Checkout.path(folder))
      where file.hasSuffix(".sh") || file == "run" {
        let text = try String(contentsOfFile: Checkout.path("\(folder)/\(file)"), encoding: .utf8)
        for match in text.matches(of: /\b(FOOTAGE_[A-Z0-9_]*[A-Z0-9])=/) { names.insert(String(match.1)) }
      }
    }
    #expect(names.count > 5 && names.subtracting(EnvironmentNames.ofScripts) == [])
  }

  @Test func `a setting says where it is from, and whether it is the usual one`() throws {
    var service = ServiceDefaults(
      ["FOOTAGE_RECORDINGS": "/srv/recordings"],
      """
      FOOTAGE_NO_CRL=No
      FOOTAGE_ACCESS_LOG=yes
      FOOTAGE_MANIFESTS=maybe
      FOOTAGE_LOG_LEVEL=info
      FOOTAGE_ROBOT_NAME=
      """)
    service.takeUnit(
      "[Service]\nEnvironment=FOOTAGE_KEEP_FREE=15% 'FOOTAGE_MAX_AGE=30d,a b=7d'\n# Environment=FOOTAGE_LISTEN=x\n",
      at: "/etc/x.conf")
    let settings = ServerSetting.all(service) { _ in "never" }
    func setting(_ option: String) throws -> ServerSetting { try #require(settings.first { $0.option == option }) }
    #expect(try setting("keep-free").words == "--keep-free is 15% (FOOTAGE_KEEP_FREE in /etc/x.conf)")
    #expect(try setting("max-age").value == "30d,a b=7d")
    #expect(
      try setting("access-log").words == "--access-log is on (FOOTAGE_ACCESS_LOG in /etc/default/footage)")
    #expect(try setting("recordings").words.hasSuffix("(FOOTAGE_RECORDINGS in the package's unit)"))
    #expect(try setting("no-crl").isStandard && setting("log-level").isStandard && setting("listen").isStandard)
    #expect(try setting("robot-name") == ServerSetting(option: "robot-name", value: nil, origin: nil, isStandard: true))
    #expect(settings.filter { !$0.isStandard }.count == 5)
    let unfit = ServerSetting.unfitSwitches(service) { _ in nil }
    #expect(unfit.count == 1 && unfit[0].contains("FOOTAGE_MANIFESTS") && unfit[0].contains("'maybe'"))
    // Without the package, the environment of this process counts.
    let own = ServerSetting.all(ServiceDefaults([:], "")) { $0 == "FOOTAGE_THREADS" ? "1" : nil }
    #expect(own.filter { !$0.isStandard }.map(\.words) == ["--threads is 1 (FOOTAGE_THREADS in this environment)"])
  }

  @Test func `a server that was started tells its settings as they were given`() throws {
    let parsed = try ParsedArguments(["--no-crl", "--keep-free", "10G"], for: ServeCommand.usage) {
      ["FOOTAGE_THREADS": "1", "FOOTAGE_NO_CRL": "0"][$0]
    }
    let settings = ServerSetting.all(parsed).filter { !$0.isStandard }
    #expect(
      Set(settings.map(\.words))
        == [
          "--no-crl is on (the server's command line)", "--keep-free is 10G (the server's command line)",
          "--threads is 1 (FOOTAGE_THREADS)",
        ])
    let service = ServiceDefaults([:], "FOOTAGE_THREADS=1")
    #expect(
      settings.map { $0.placed(by: service).words }.contains(
        "--threads is 1 (FOOTAGE_THREADS in /etc/default/footage)"))
  }
}
