/// `footage inspect`: what is inside a file, and what ingest would make of it.

internal import Formats
internal import ISOMedia
internal import Storage

enum InspectCommand: Command {
  static let usage = Usage(
    "inspect", "Shows the boxes and tracks of a file, what is wrong with it, and what ingest would do.",
    operands: "FILE", options: [.flag("json", "For programs.")])

  static func run(_ arguments: ParsedArguments) throws(UsageError) -> ExitCode {
    guard let path = arguments.operands.first, arguments.operands.count == 1 else {
      throw UsageError("name one file")
    }
    do throws(StorageError) {
      let file = try RandomAccessFile(path: path, followingLinks: true)
      let inspection = Inspection.of(file)
      if arguments.flag("json") {
        var json = JSONWriter()
        inspection.write(json: &json)
        Terminal.output(json.text + "\n")
      } else {
        Terminal.output(inspection.text)
      }
      return .done
    } catch {
      return Terminal.failed(error)
    }
  }
}
