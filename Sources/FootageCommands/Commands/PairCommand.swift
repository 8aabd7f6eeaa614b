internal import FootageCore
internal import FootageServing
internal import FootageSystem

/// The command `footage pair`. It shows a robot's pin, which the person compares with the robot's own display, and then
/// remembers it. With the robot's link, no comparison is needed.
enum PairCommand: Command {
  static let usage = Usage(
    "pair", "Remembers a robot's pin, after you have compared it with the one on the robot's console.",
    operands: "HOST[:PORT]|LINK",
    options: [
      .value("pin", "P", "The pin that the robot's console shows; it is compared without a question."),
      .value("next-pin", "P", "The pin of a key that the robot will have. The robot is not contacted for this."),
      .flag("forget", "Forgets the robot; with --next-pin, only that key."),
      .value("name", "NAME", "With a link: a name for the robot, instead of the one in the link."),
    ] + PairingCode.options,
    details: """
      footage serve prints the pin in its second line; certs/server.pin has the pin of certs/server.pem. Without a
      terminal and without --pin, nothing is remembered. A pin that has changed is never replaced: if the robot's
      console shows the new one, give it with --next-pin, and cached recordings are found again; or forget the robot.

      If a robot will get a new key (scripts/gen-certs.sh --next), --next-pin makes it known by both keys. Once it
      answers with the new key, the old one is no longer accepted. At another address, the robot is found by its key:
      give that address with --robot.

      footage pair --qr, on the robot's console, shows a link (footage:pair?name=…) as a QR code for apps to scan. It
      contains the robot's name, addresses and pin, and the pin of a prepared key. qrencode draws the code if it is
      installed. If standard output is not a terminal, it gets only the link. footage pair LINK finds the robot at one
      of these addresses, makes it prove its key, and remembers it without a question, since the console showed the
      link.
      """)

  static func run(_ arguments: ParsedArguments) throws(UsageError) -> ExitCode {
    if arguments.flag("qr") { return try PairingCode.show(arguments) }
    guard let text = arguments.operands.first, arguments.operands.count == 1 else { throw UsageError("name one robot") }
    if LinkPairing.isLink(text) { return try pair(byLink: text, arguments) }
    let expected = try pin("pin", arguments)
    let next = try pin("next-pin", arguments)
    guard arguments["name"] == nil else { throw UsageError("--name needs a link (footage:pair?…)") }
    let (store, address): (PairingStore, RobotAddress)
    do throws(CommandFailure) {
      store = try RobotAccess.pairings()
      // An unreadable file is reported later, by the code that needs it.
      address = try RobotAccess.address(text, among: (try? store.all()) ?? [])
    } catch { return try error.exitCode() }
    address.sayReading(of: text)
    if arguments.flag("forget") {
      guard expected == nil else { throw UsageError("give either --pin or --forget, not both") }
      return next.map { forget(next: $0, of: address, store) } ?? forget(address, store)
    }
    if let next, expected == nil { return add(next: next, of: address, store) }
    return AsyncMain.run {
      let exitCode = await pair(address, expected, store)
      guard exitCode == .done, let next else { return exitCode }
      return add(next: next, of: address, store)
    }
  }

  private static func pair(byLink text: String, _ arguments: ParsedArguments) throws(UsageError) -> ExitCode {
    for option in ["pin", "next-pin"] where arguments.isGiven(option) {
      throw UsageError("a link already contains the robot's keys: leave out --\(option)")
    }
    guard !arguments.flag("forget") else { throw UsageError("--forget needs the robot's name or address, not a link") }
    let store: PairingStore
    do throws(CommandFailure) { store = try RobotAccess.pairings() } catch { return try error.exitCode() }
    return try LinkPairing.run(text, named: arguments["name"], store)
  }

  private static func pin(_ option: String, _ arguments: ParsedArguments) throws(UsageError) -> PublicKeyPin? {
    guard let text = arguments[option] else { return nil }
    guard let pin = PublicKeyPin(text) else {
      throw UsageError("--\(option) must be sha256/ and 44 characters of base64, not '\(text)'")
    }
    return pin
  }

  private static func failed(_ error: PairingError, _ address: RobotAddress) -> ExitCode {
    Terminal.failed(ShellWords(robot: address).words(for: error))
  }

  // MARK: Without the robot

  private static func forget(_ address: RobotAddress, _ store: PairingStore) -> ExitCode {
    do throws(PairingError) {
      guard try store.forget(address) else { return Terminal.failed("\(address) is not paired") }
      Terminal.error("\(address) is forgotten\n")
      return .done
    } catch { return failed(error, address) }
  }

  private static func forget(next pin: PublicKeyPin, of address: RobotAddress, _ store: PairingStore) -> ExitCode {
    do throws(PairingError) {
      guard try store.forget(next: pin, of: address) else {
        return Terminal.failed("\(pin) is not a next pin of \(address)")
      }
      Terminal.error("\(pin) is no longer a next pin of \(address)\n")
      return .done
    } catch { return failed(error, address) }
  }

  private static func add(next pin: PublicKeyPin, of address: RobotAddress, _ store: PairingStore) -> ExitCode {
    do throws(PairingError) {
      let isNew = try store.add(next: pin, of: address)
      Terminal.error(
        isNew
          ? "\(address) is now also known by the key \(pin): \(store.path)\n"
          : "\(address) is already known by the key \(pin)\n")
      return .done
    } catch { return failed(error, address) }
  }

  // MARK: With the robot

  private static func pair(
    _ address: RobotAddress, _ expected: PublicKeyPin?, _ store: PairingStore
  ) async -> ExitCode {
    do throws(RobotError) {
      let seen = try await RobotConnection.shownPin(at: address.description)
      Terminal.output("\(seen)\n")
      do throws(PairingError) { return try await pair(address, seen, expected, store) } catch {
        return failed(error, address)
      }
    } catch { return Terminal.failed(ShellWords(robot: address).words(for: error)) }
  }

  private static func pair(
    _ address: RobotAddress, _ seen: PublicKeyPin, _ expected: PublicKeyPin?, _ store: PairingStore
  ) async throws(PairingError) -> ExitCode {
    let all = try store.all()
    let there = all.first { $0.address == address }
    // The pin that a person has read on the console takes precedence over everything that is remembered.
    if let expected, expected != seen {
      return Terminal.failed(words(address, seen, insteadOf: expected, there))
    }
    if let known = all.first(where: { $0.pins.contains(seen) }) {
      return try await meet(address, known, store)
    }
    if let there { throw .pinChanged(robot: address.description, remembered: there.pins, seen: seen) }
    guard expected != nil || isConfirmed(address) else { return .failed }
    // A server that shows a certificate has not proved yet that it has the key.
    do throws(RobotError) { _ = try await RobotConnection.provenPin(at: address, among: [seen]) } catch {
      return Terminal.failed(ShellWords(robot: address).words(for: error))
    }
    for change in try store.remember(seen, of: address) { Terminal.say(change) }
    Terminal.error("\(address) is paired: \(store.path)\n")
    return .done
  }

  /// Updates the pairing of a robot that is known by the key that it shows. The robot must prove that key, because it
  /// changes the keys and the address in the pairing.
  private static func meet(
    _ address: RobotAddress, _ known: PairingStore.Pairing, _ store: PairingStore
  ) async throws(PairingError) -> ExitCode {
    let proven: PublicKeyPin
    do throws(RobotError) {
      proven = try await RobotConnection.provenPin(at: address, among: known.pins)
    } catch { return Terminal.failed(ShellWords(robot: address, pairing: known).words(for: error)) }
    let changes = try store.met(proven, at: address)
    for change in changes { Terminal.say(change) }
    if changes.isEmpty { Terminal.error("\(address) is already paired, and its pin has not changed\n") }
    return .done
  }

  private static func words(
    _ address: RobotAddress, _ seen: PublicKeyPin, insteadOf expected: PublicKeyPin, _ there: PairingStore.Pairing?
  ) -> String {
    var words = """
      \(address) shows the key \(seen), but --pin is \(expected): nothing was \
      \(there == nil ? "remembered" : "changed"). If its console shows \(expected), another machine answers in its place
      """
    if there?.pins.contains(seen) == true {
      words += """
        , and was paired by mistake: forget it (footage pair \(address) --forget), and find out what it is. If the \
        robot will get that key later, announce it: footage pair \(address) --next-pin \(expected)
        """
    } else if let there {
      words += ". It was paired with \(there.pins.map(\.description).joined(separator: " or "))"
    }
    return words
  }

  /// Asks for confirmation. Only the whole word counts as a yes.
  private static func isConfirmed(_ address: RobotAddress) -> Bool {
    guard Process.isInputTerminal else {
      Terminal.error(
        """
        Nothing was remembered. Compare this pin with the one on the console of \(address), and confirm it with
          footage pair \(address) --pin PIN

        """)
      return false
    }
    Terminal.error("Does the console of \(address) show exactly this pin? Type yes if it does: ")
    guard StandardInput.readLine() == "yes" else {
      Terminal.error("Nothing was remembered.\n")
      return false
    }
    return true
  }
}
