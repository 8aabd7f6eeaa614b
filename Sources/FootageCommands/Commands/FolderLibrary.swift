internal import FootageStore
internal import FootageLibrary
internal import FootageSystem

extension RecordingLibrary {
  /// The folder of `--recordings`, for a command beside its server.
  ///
  /// - Parameter state: where the server keeps its own; nil for the default place.
  static func besideServer(
    _ arguments: ParsedArguments, state: String?, naming: RecordingNaming
  ) throws(LibraryError) -> RecordingLibrary {
    let library = try RecordingLibrary(
      recordings: arguments["recordings"] ?? "", state: state, role: .command, naming: naming, log: LibraryWords.print)
    library.useStoreRecordOfServer()
    return library
  }

  /// The folder of `--recordings`, for a command that only reads: nothing is written among the recordings, nor into the
  /// server's state.
  static func reading(
    _ arguments: ParsedArguments, state: StateOption, naming: RecordingNaming
  ) throws(CommandFailure) -> RecordingLibrary {
    let recordings = arguments["recordings"] ?? ""
    let folder = state.folder ?? "\(recordings)/.footage"
    // What is in a store alone is in the server's catalog alone.
    let isStored = FileTree.exists("\(folder)/\(OffloadService.recordName)")
    let derived = state.isNamed || isStored ? DerivedPlace.inState : FolderCatalogs.place(of: recordings)
    do throws(LibraryError) {
      let library = try RecordingLibrary(
        recordings: recordings, state: state.folder, derived: derived, role: .command, naming: naming,
        log: LibraryWords.print)
      library.useStoreRecordOfServer()
      return library
    } catch { throw .failed(error.description) }
  }

  private func useStoreRecordOfServer() {
    do throws(OffloadError) { try useStoreRecord() } catch {
      LibraryWords.print(.warning("what is in the store alone is left out: \(error)"))
    }
  }
}
