internal import FootageStore
internal import FootageLibrary
internal import FootageSystem

extension RecordingLibrary {
  /// Opens the folder of `--recordings` for a command that works beside its server.
  ///
  /// - Parameter state: the folder of the server's state; nil for the default place.
  static func besideServer(
    _ arguments: ParsedArguments, state: String?, naming: RecordingNaming
  ) throws(LibraryError) -> RecordingLibrary {
    let library = try RecordingLibrary(
      recordings: arguments["recordings"] ?? "", state: state, role: .command, naming: naming, log: LibraryWords.print)
    library.useStoreRecordOfServer()
    return library
  }

  /// Opens the folder of `--recordings` for a command that only reads. It writes neither to the recordings folder nor
  /// to the server's state.
  static func reading(
    _ arguments: ParsedArguments, state: StateOption, naming: RecordingNaming
  ) throws(CommandFailure) -> RecordingLibrary {
    let recordings = arguments["recordings"] ?? ""
    let folder = state.folder ?? "\(recordings)/.footage"
    // Recordings that are only in a store are listed only in the server's catalog.
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
      LibraryWords.print(.warning("recordings that are only in the store are left out: \(error)"))
    }
  }
}
