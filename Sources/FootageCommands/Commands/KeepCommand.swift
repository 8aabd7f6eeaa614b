internal import FootageLibrary

/// The command `footage keep`, which protects recordings, so that nothing deletes them to make room.
enum KeepCommand: Command {
  static let usage = Usage(
    "keep", "Protects recordings from being deleted to make room.", operands: "[NAME…]",
    options: ProtectionSelection.options + [
      .flag("mark-disk", "Marks the folder's disk as one on which serve may delete recordings; protects nothing.")
    ],
    details: """
      NAME is a recording's name as footage list shows it. Instead of names, --camera, --from and --to protect each
      recording of a camera that has a moment of that time ('' means recordings without a camera). This works while a
      server is running, and the server notices it.

      The protection of a recording is an attribute of its file (user.footage.keep), which survives a rename or a copy
      (cp -a). If that is not possible, it is a line in .footage-kept in the recordings folder, and if that is not
      possible either, one in the state folder; footage kept shows which. It lasts until footage release ends it.

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
      Terminal.error("footage: \(marker) is in place\n")
      return .done
    } catch { return Terminal.failed(error) }
  }
}

/// The command `footage release`, which ends protections.
enum ReleaseCommand: Command {
  static let usage = Usage(
    "release", "Ends the protection of recordings.", operands: "[NAME…]", options: ProtectionSelection.options,
    details: """
      Recordings are selected as for footage keep. Released recordings may be deleted when room is needed, oldest first.

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
    "kept", "Lists protected recordings, and where each protection is stored.",
    options: ProtectionSelection.libraryOptions,
    details: """
      HELD IN is `file` for an attribute of the recorder's file, `folder` for a line in .footage-kept in the recordings
      folder, and `state` for a line in the state folder. After the recordings come lines whose recording is not here
      now: it may be on another disk. footage release NAME removes such a line.
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
