/// `footage pair`: shows a robot's pin to a person, who compares it, and remembers it.

internal import FootageClient
internal import Networking

enum PairCommand: Command {
  static let usage = Usage(
    "pair", "Remembers the pin of a robot, once it was compared with the one on the robot's console.",
    operands: "HOST[:PORT]",
    options: [
      .value("pin", "P", "The pin that the robot's console shows; then nothing is asked."),
      .flag("forget", "Forgets the robot."),
    ],
    details: """
      The pin is the second line that footage serve prints, and certs/server.pem's in certs/server.pin. Asked without a
      terminal, and without --pin, nothing is remembered. A pin that has changed is never replaced: forget the robot
      first.
      """)

  static func run(_ arguments: ParsedArguments) throws(UsageError) -> ExitCode {
    guard let text = arguments.operands.first, arguments.operands.count == 1 else { throw UsageError("name one robot") }
    guard let address = RobotAddress(text) else { throw UsageError(RobotError.address(text).description) }
    var expected: PublicKeyPin?
    if let pin = arguments["pin"] {
      expected = PublicKeyPin(pin)
      guard expected != nil else {
        throw UsageError("--pin has to be sha256/ and 44 characters of base64, and is '\(pin)'")
      }
    }
    let store: PairingStore
    do throws(CommandFailure) { store = try RobotAccess.pairings() } catch { return try error.exitCode() }
    if arguments.flag("forget") { return forget(address, store) }
    return Background.run { [expected] in await pair(address, expected, store) }
  }

  private static func forget(_ address: RobotAddress, _ store: PairingStore) -> ExitCode {
    do throws(PairingError) {
      guard try store.forget(address) else { return Terminal.failed("\(address) was not paired") }
      Terminal.error("\(address) is forgotten\n")
      return .done
    } catch { return Terminal.failed(error) }
  }

  private static func pair(
    _ address: RobotAddress, _ expected: PublicKeyPin?, _ store: PairingStore
  ) async -> ExitCode {
    let seen: PublicKeyPin
    do throws(RobotError) { seen = try await RobotConnection.shownPin(at: address.description) } catch {
      return Terminal.failed(ShellWords(robot: address, pairedPins: []).words(for: error))
    }
    do throws(PairingError) {
      let known = try store.pins(of: address)
      Terminal.output("\(seen)\n")
      guard known.isEmpty || known.contains(seen) else {
        let changed = PairingError.pinChanged(robot: address.description, remembered: known, seen: seen)
        return Terminal.failed(ShellWords(robot: address, pairedPins: known).words(for: changed))
      }
      guard known.isEmpty else {
        Terminal.error("\(address) is paired already, and its pin is the same\n")
        return .done
      }
      if let expected {
        guard expected == seen else {
          return Terminal.failed("\(address) has another pin than \(expected): nothing was remembered")
        }
      } else if !isConfirmed(address) {
        return .failed
      }
      try store.remember(seen, of: address)
      Terminal.error("\(address) is paired: \(store.path)\n")
      return .done
    } catch { return Terminal.failed(error) }
  }

  /// Only the word itself is a yes.
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
