internal import FootageCore
internal import FootageServing
internal import FootageSystem

/// The command `footage pair`. It shows a robot's pin to a person, who compares it, and remembers it; or it pairs with
/// the robot's own link.
enum PairCommand: Command {
  static let usage = Usage(
    "pair", "Remembers the pin of a robot, once it was compared with the one on the robot's console.",
    operands: "HOST[:PORT]|LINK",
    options: [
      .value("pin", "P", "The pin that the robot's console shows; it is compared, and nothing is asked."),
      .value("next-pin", "P", "The pin of a key that the robot is to have. It is not asked for that."),
      .flag("forget", "Forgets the robot; with --next-pin, that key alone."),
      .value("name", "NAME", "With a link: what to call the robot, instead of what the link calls it."),
    ] + PairingCode.options,
    details: """
      The pin is the second line that footage serve prints, and certs/server.pem's in certs/server.pin. Asked without a
      terminal, and without --pin, nothing is remembered. A pin that has changed is never replaced: where the robot's
      console shows the new one, give that with --next-pin, and what is cached is found again; or forget the robot.

      A robot that is to have a new key (scripts/gen-certs.sh --next) is known by both from --next-pin on. Once it
      answers with the new one, the former opens nothing any more. At another address it is found by its key: name that
      with --robot.

      footage pair --qr, on the robot's console, shows a link (footage:pair?name=…) as a code for apps to scan: it says the
      robot's name, its addresses and its pin, and that of a key which was prepared. qrencode draws it, where it is
      installed. Where standard output is no terminal, it gets the link alone. footage pair LINK finds the robot at one of
      these addresses, has it prove its key, and remembers it; nothing is asked, since it was read off the console.
      """)

  static func run(_ arguments: ParsedArguments) throws(UsageError) -> ExitCode {
    if arguments.flag("qr") { return try PairingCode.show(arguments) }
    guard let text = arguments.operands.first, arguments.operands.count == 1 else { throw UsageError("name one robot") }
    if LinkPairing.isLink(text) { return try pair(byLink: text, arguments) }
    let expected = try pin("pin", arguments)
    let next = try pin("next-pin", arguments)
    guard arguments["name"] == nil else { throw UsageError("--name goes with a link (footage:pair?…)") }
    let (store, address): (PairingStore, RobotAddress)
    do throws(CommandFailure) {
      store = try RobotAccess.pairings()
      // An unreadable file is reported later, by the code that needs it.
      address = try RobotAccess.address(text, among: (try? store.all()) ?? [])
    } catch { return try error.exitCode() }
    address.sayReading(of: text)
    if arguments.flag("forget") {
      guard expected == nil else { throw UsageError("either --pin or --forget") }
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
      throw UsageError("a link says which keys the robot has: leave out --\(option)")
    }
    guard !arguments.flag("forget") else { throw UsageError("--forget goes with the robot's name or address") }
    let store: PairingStore
    do throws(CommandFailure) { store = try RobotAccess.pairings() } catch { return try error.exitCode() }
    return try LinkPairing.run(text, named: arguments["name"], store)
  }

  private static func pin(_ option: String, _ arguments: ParsedArguments) throws(UsageError) -> PublicKeyPin? {
    guard let text = arguments[option] else { return nil }
    guard let pin = PublicKeyPin(text) else {
      throw UsageError("--\(option) has to be sha256/ and 44 characters of base64, and is '\(text)'")
    }
    return pin
  }

  private static func failed(_ error: PairingError, _ address: RobotAddress) -> ExitCode {
    Terminal.failed(ShellWords(robot: address).words(for: error))
  }

  // MARK: Without the robot

  private static func forget(_ address: RobotAddress, _ store: PairingStore) -> ExitCode {
    do throws(PairingError) {
      guard try store.forget(address) else { return Terminal.failed("\(address) was not paired") }
      Terminal.error("\(address) is forgotten\n")
      return .done
    } catch { return failed(error, address) }
  }

  private static func forget(next pin: PublicKeyPin, of address: RobotAddress, _ store: PairingStore) -> ExitCode {
    do throws(PairingError) {
      guard try store.forget(next: pin, of: address) else {
        return Terminal.failed("\(pin) is no pin that \(address) is to have")
      }
      Terminal.error("\(address) is not to have the key \(pin) any more\n")
      return .done
    } catch { return failed(error, address) }
  }

  private static func add(next pin: PublicKeyPin, of address: RobotAddress, _ store: PairingStore) -> ExitCode {
    do throws(PairingError) {
      let isNew = try store.add(next: pin, of: address)
      Terminal.error(
        isNew
          ? "\(address) is known by the key \(pin) too, from now on: \(store.path)\n"
          : "\(address) is known by the key \(pin) already\n")
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

  /// Updates the pairing of a robot that is known by the key that it shows. The robot must prove that key, because the
  /// pairing's keys and address are updated by it.
  private static func meet(
    _ address: RobotAddress, _ known: PairingStore.Pairing, _ store: PairingStore
  ) async throws(PairingError) -> ExitCode {
    let proven: PublicKeyPin
    do throws(RobotError) {
      proven = try await RobotConnection.provenPin(at: address, among: known.pins)
    } catch { return Terminal.failed(ShellWords(robot: address, pairing: known).words(for: error)) }
    let changes = try store.met(proven, at: address)
    for change in changes { Terminal.say(change) }
    if changes.isEmpty { Terminal.error("\(address) is paired already, and its pin is the same\n") }
    return .done
  }

  private static func words(
    _ address: RobotAddress, _ seen: PublicKeyPin, insteadOf expected: PublicKeyPin, _ there: PairingStore.Pairing?
  ) -> String {
    var words = """
      \(address) shows the key \(seen), and --pin is \(expected): nothing was \(there == nil ? "remembered" : "changed"). \
      If its console shows \(expected), somebody else answers in its place
      """
    if there?.pins.contains(seen) == true {
      words += """
        , and was paired in its place: forget that (footage pair \(address) --forget), and find out who it is. If it \
        is to have that key later, announce it: footage pair \(address) --next-pin \(expected)
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
        Nothing was remembered: compare this pin with the one on the console of \(address), and say so with
          footage pair \(address) --pin PIN

        """)
      return false
    }
    Terminal.error("Does the console of \(address) show this very pin? Type yes if it does: ")
    guard StandardInput.readLine() == "yes" else {
      Terminal.error("Nothing was remembered.\n")
      return false
    }
    return true
  }
}
