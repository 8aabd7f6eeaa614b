internal import RecordingLibrary
internal import Storage

/// `footage inspect`: what is inside a file, and what ingest would make of it.
enum InspectCommand: Command {
  static let usage = Usage(
    "inspect", "Shows the boxes and tracks of a file, what is wrong with it, and what ingest would do.",
    operands: "FILE", options: [.flag("json", "For programs.")])

  static func run(_ arguments: ParsedArguments) throws(UsageError) -> ExitCode {
    guard let path = arguments.operands.first, arguments.operands.count == 1 else {
      throw UsageError("name one file")
    }
    do throws(LibraryError) {
      let file: RandomAccessFile
      do throws(StorageError) {
        file = try RandomAccessFile(path: path, followingLinks: true)
      } catch { throw LibraryError.storage(error) }
      let isJSON = arguments.flag("json")
      let shown = try ChildFileIndexer().inspection(of: file, asJSON: isJSON)
      Terminal.output(String(decoding: shown, as: UTF8.self) + (isJSON ? "\n" : ""))
      return .done
    } catch {
      return Terminal.failed(error)
    }
  }
}
