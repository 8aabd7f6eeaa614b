internal import FootageLibrary

/// The command `footage keep`, which protects recordings, so that nothing deletes them to make room.
enum KeepCommand: Command {
  static let usage = Usage(
    "keep", "Protects recordings: nothing deletes them to make room.", operands: "[NAME…]",
    options: ProtectionSelection.options + [
      .flag("mark-disk", "Marks the folder's disk as the one on which serve may make room, and protects nothing.")
    ],
    details: """
      NAME is a recording's name as footage list shows it; in its place, --camera, --from and --to protect each recording
      of a camera that has a moment of that time ('' is no camera). It works beside a running server, which notices.

      What protects a recording is an attribute of its file (user.footage.keep), which goes along with a rename or a
      copy (cp -a). Where that cannot be, it is a line in .footage-kept among the recordings, and where that cannot be
      either, one in the state folder; footage kept says which. A protection lasts until footage release ends it.

      \(ProtectionSelection.timeDetails)
      """, isBesideService: true)

  static func run(_ arguments: ParsedArguments) throws(UsageError) -> ExitCode {
    if arguments.flag("mark-disk") {
      try arguments.expectNoOperands()
      return markDisk(arguments)
    }
    return try ProtectionSelection(arguments).run { (library, target) throws(ProtectionError) in
      switch target {
      case .name(let name):
        try library.keep(name: name)
        return [name]
      case .time(let camera, let from, let to): return try library.keep(camera: camera, from: from, to: to)
      }
    }
  }

  private static func markDisk(_ arguments: ParsedArguments) -> ExitCode {
    do throws(LibraryError) {
      let marker = try DiskMarker.put(on: arguments["recordings"] ?? "")
      Terminal.error("footage: \(marker) is there\n")
      return .done
    } catch { return Terminal.failed(error) }
  }
}

/// The command `footage release`, which ends protections.
enum ReleaseCommand: Command {
  static let usage = Usage(
    "release", "Ends the protection of recordings.", operands: "[NAME…]", options: ProtectionSelection.options,
    details: """
      Recordings are named as for footage keep. What is released may go when room is needed, the oldest first.

      \(ProtectionSelection.timeDetails)
      """, isBesideService: true)

  static func run(_ arguments: ParsedArguments) throws(UsageError) -> ExitCode {
    try ProtectionSelection(arguments).run { (library, target) throws(ProtectionError) in
      switch target {
      case .name(let name):
        try library.release(name: name)
        return [name]
      case .time(let camera, let from, let to): return try library.release(camera: camera, from: from, to: to)
      }
    }
  }
}

/// The command `footage kept`, which lists protected recordings and the places where their protection is recorded.
enum KeptCommand: Command {
  static let usage = Usage(
    "kept", "Lists what is protected, and where each protection is written down.",
    options: ProtectionSelection.libraryOptions,
    details: """
      HELD IN is `file` for an attribute of the recorder's file, `folder` for a line in .footage-kept among the recordings,
      and `state` for a line in the state folder. Behind the recordings come lines of which none is here now: another
      disk may have it. footage release takes them out by their name.
      """, isBesideService: true)

  static func run(_ arguments: ParsedArguments) throws(UsageError) -> ExitCode {
    try arguments.expectNoOperands()
    let kept: [KeptRecording]
    let naming = try NamingOptions.naming(arguments)
    do throws(CommandFailure) {
      let library = try RecordingLibrary.reading(arguments, state: StateOption(ofFolder: arguments), naming: naming)
      library.refresh()
      kept = library.kept()
    } catch { return try error.exitCode() }
    guard !kept.isEmpty else {
      Terminal.error("footage: nothing is protected\n")
      return .done
    }
    typealias Column = TextTable.Column
    let table = TextTable(columns: [
      Column("NAME", kept.map { Terminal.printable($0.name) }),
      Column("SIZE", kept.map { $0.recording.map { RecordingTable.size($0.size) } ?? "–" }, isNumber: true),
      Column("HELD IN", kept.map { $0.places.map(\.description).joined(separator: ", ") }),
    ])
    Terminal.output(table.text)
    return .done
  }
}
