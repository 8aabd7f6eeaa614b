internal import FootageBase
internal import FootageLibrary
internal import FootageServer
internal import FootageSystem

/// The part of `footage ingest` that rebuilds recordings by the present rules: by the folder's server if one runs, and
/// otherwise in this process.
struct IngestAgain {
  private let arguments: ParsedArguments
  private let naming: RecordingNaming
  private let places: [StatusPlace]
  /// The names as they were typed; empty for all recordings that older rules made.
  private let names: [String]

  init(_ arguments: ParsedArguments) throws(UsageError) {
    self.arguments = arguments
    names = arguments.operands
    switch (names.isEmpty, arguments.flag("all")) {
    case (true, false): throw UsageError("name the recordings to rebuild, or use --all")
    case (false, true): throw UsageError("name recordings, or use --all, not both")
    default: break
    }
    naming = try NamingOptions.naming(arguments)
    places = try StatusOption.places(arguments)
  }

  /// A way to rebuild recordings.
  private enum Rebuilder {
    case server(StatusPlace)
    case library(RecordingLibrary)

    /// Returns the names of the recordings that older rules made.
    func olderRecordings() throws(CommandFailure) -> [String] {
      switch self {
      case .library(let library): return library.snapshot.namesOfOlderRules
      case .server(let place):
        do throws(StatusClient.StatusFailure) { return try StatusClient.olderRecordings(at: place).get() } catch {
          throw .failed(error.description)
        }
      }
    }

    /// Rebuilds the recording that the text means.
    ///
    /// - Throws: `CommandFailure` if no further recording can be rebuilt, either.
    func remake(_ text: String) throws(CommandFailure) -> RemakingResult {
      switch self {
      case .library(let library):
        let name = RecordingNameText.readings(of: text).first { library.lookUp($0) != nil } ?? text
        do throws(LibraryError) { return RemakingResult(try library.remake(name)) } catch {
          if case .alreadyServed(let folder) = error {
            throw .failed(
              "a server that does not answer on its socket serves \(folder): name its socket with --status-listen, or "
                + "stop it")
          }
          return RemakingResult(name: name, failed: error.description)
        }
      case .server(let place):
        var first: RemakingResult?
        for name in RecordingNameText.readings(of: text) {
          let result: RemakingResult
          do throws(StatusClient.StatusFailure) { result = try StatusClient.remake(name, at: place).get() } catch {
            throw .failed(error.description)
          }
          if result.outcome != .failed { return result }
          first = first ?? result
        }
        return first ?? RemakingResult(name: text, failed: "'\(text)' is no name of a recording")
      }
    }
  }

  func run() throws(UsageError) -> ExitCode {
    do throws(CommandFailure) {
      let rebuilder = try rebuilder()
      let wanted = names.isEmpty ? try rebuilder.olderRecordings() : names
      var counts: [RemakingResult.Outcome: Int] = [:]
      for name in wanted {
        let result = try rebuilder.remake(name)
        counts[result.outcome, default: 0] += 1
        show(result)
      }
      if names.isEmpty { Terminal.error("footage: \(Self.words(counts))\n") }
      return counts[.failed, default: 0] > 0 ? .failed : .done
    } catch { return try error.exitCode() }
  }

  private func rebuilder() throws(CommandFailure) -> Rebuilder {
    if let folder = try? FileTree.canonical(arguments["recordings"] ?? ""),
      let place = StatusClient.place(ofServer: folder, places)
    {
      return .server(place)
    }
    do throws(LibraryError) {
      let library = try RecordingLibrary.besideServer(arguments, state: arguments["state-dir"], naming: naming)
      return .library(library)
    } catch { throw .failed(error.description) }
  }

  private func show(_ result: RemakingResult) {
    if arguments.flag("json") {
      var json = JSONWriter()
      result.write(into: &json)
      Terminal.output(json.text + "\n")
    } else if let text = result.text, result.outcome == .failed {
      _ = Terminal.failed(text)
    } else {
      Terminal.output(Terminal.printable("\(result.name): \(Self.words(result))") + "\n")
    }
  }

  private static func words(_ result: RemakingResult) -> String {
    guard result.outcome == .rebuilt else { return "unchanged: the present rules have the same result" }
    let part = result.why == Remade.Reason.header.rawValue ? "a new header" : "a new sample index"
    return "rebuilt with \(part), now version \(result.after ?? "")"
  }

  /// Returns the totals for `--all`.
  private static func words(_ counts: [RemakingResult.Outcome: Int]) -> String {
    let (rebuilt, unchanged, failed) = (counts[.rebuilt] ?? 0, counts[.unchanged] ?? 0, counts[.failed] ?? 0)
    guard rebuilt + unchanged + failed > 0 else {
      return "the present rules made all recordings: there is nothing to do"
    }
    return "\(rebuilt) rebuilt, \(unchanged) unchanged" + (failed > 0 ? ", \(failed) failed" : "")
  }
}
