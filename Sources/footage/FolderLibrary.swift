internal import Offload
internal import RecordingLibrary

extension RecordingLibrary {
  /// The folder of `--recordings`, for a command beside its server.
  ///
  /// - Parameter state: where the server keeps its own; nil for the default place.
  static func besideServer(
    _ arguments: ParsedArguments, state: String?, naming: RecordingNaming
  ) throws(LibraryError) -> RecordingLibrary {
    let library = try RecordingLibrary(
      recordings: arguments["recordings"] ?? "", state: state, role: .command, naming: naming, log: LibraryWords.print)
    do throws(OffloadError) { try library.useStoreRecord() } catch {
      LibraryWords.print(.warning("what is in the store alone is left out: \(error)"))
    }
    return library
  }
}
