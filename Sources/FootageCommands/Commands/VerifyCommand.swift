internal import FootageAPI
internal import FootageCore
internal import FootageBase
internal import FootageSystem

/// The command `footage verify`, which checks bytes against what their robot has signed.
enum VerifyCommand: Command {
  static let usage = Usage(
    "verify", "Verifies a recording, or a copy of it, by the manifest that its robot signed.", operands: "FILE|NAME",
    options: [
      .value("manifest", "FILE", "Compares the operand FILE with this manifest, without asking a robot."),
      .value("file", "FILE", "Compares this file with the robot's manifest of NAME, instead of what the robot serves."),
    ] + RobotAccess.options,
    details: """
      With --manifest, FILE is compared with that manifest, as GET /recordings/NAME.manifest returns it. FILE may be the
      recorder's file, the served file, its preamble or its sample index; the command recognizes it by its bytes. The
      manifest must be signed by a key of --pin, or else of the robot of --robot, or else of any paired robot. An
      earlier key of a paired robot is accepted as well, and reported.

      Without --manifest, the robot is asked for the manifest of NAME. Then everything that it serves of NAME is read
      and compared, or with --file, that file. If the robot has no manifest yet, it reads the recording first, and the
      command waits for it.

      If nothing differs, standard output says what FILE or NAME is; otherwise it lists each MiB that differs, counted
      from 0, with its bytes. Exits with 0 if nothing differs, and with 1 if something differs or cannot be compared.
      """)

  static func run(_ arguments: ParsedArguments) throws(UsageError) -> ExitCode {
    guard let operand = arguments.operands.first, arguments.operands.count == 1 else {
      throw UsageError("name one file with --manifest, or one recording of a robot")
    }
    guard let path = arguments["manifest"] else {
      return AsyncMain.run {
        do throws(CommandFailure) { return try await verify(operand, arguments) } catch {
          return error.saidLate(by: usage)
        }
      }
    }
    guard arguments["file"] == nil else {
      throw UsageError("--file is compared with a robot's manifest: leave out --manifest")
    }
    do throws(CommandFailure) {
      let signers = try ManifestSigners(arguments)
      let signed = try manifest(inFile: path)
      try say(signed, by: signers, of: path)
      return try compare(file: operand, with: signed.manifest)
    } catch { return try error.exitCode() }
  }

  /// Verifies a recording on a robot, or a local copy of it.
  private static func verify(_ name: String, _ arguments: ParsedArguments) async throws(CommandFailure) -> ExitCode {
    let access = try await RobotAccess(arguments, names: [name])
    let signed: SignedManifest
    do throws(RobotError) {
      signed = try await RecordingNameText.first(of: name) { (name) async throws(RobotError) in
        try await access.robot.manifest(of: name) {
          Terminal.say("the robot is reading \(name) to sign its manifest: this may take a while")
        }
      }
    } catch { throw .failed(access.words(for: error)) }
    try say(signed, by: access.signers, of: "the manifest of \(name)")
    if let file = arguments["file"] { return try compare(file: file, with: signed.manifest) }
    return try await compare(served: signed.manifest, access)
  }

  // MARK: The manifest

  private static func manifest(inFile path: String) throws(CommandFailure) -> SignedManifest {
    let bytes: [UInt8]
    do throws(StorageError) {
      let file = try RandomAccessFile(path: path, followingLinks: true)
      guard file.length <= UInt64(ManifestLimits.bytes) else {
        throw StorageError("read", path, .wrongKind("too large for a manifest"))
      }
      bytes = try file.bytes(at: 0, count: Int(file.length))
    } catch { throw .failed(error.description) }
    do throws(ManifestError) { return try SignedManifest(bytes) } catch { throw .failed("\(path): \(error)") }
  }

  /// Prints by which key the manifest is signed.
  ///
  /// - Throws: a failure if it is not one of the accepted keys.
  private static func say(
    _ signed: SignedManifest, by signers: ManifestSigners, of what: String
  ) throws(CommandFailure) {
    do throws(ManifestError) {
      let pin = try signed.verify(by: signers.all)
      let name = Terminal.printable(signed.manifest.item.name)
      Terminal.error("\(name) is signed by \(pin)\(signers.words(for: pin))\n")
    } catch { throw .failed("cannot trust \(what): \(error)") }
  }

  // MARK: Comparing

  /// An object of which the manifest has digests.
  private struct Object {
    let words: String
    let digests: ObjectDigests

    static func all(of manifest: Manifest) -> [Object] {
      var objects = [Object(words: "the recorder's file", digests: manifest.file)]
      if !manifest.isServedAsItIs { objects.append(Object(words: "the served file", digests: manifest.served)) }
      if let preamble = manifest.preamble { objects.append(Object(words: "the preamble", digests: preamble)) }
      if let index = manifest.index { objects.append(Object(words: "the sample index", digests: index)) }
      return objects
    }

    /// Compares other digests with these. Returns the number of equal mebibytes, the negated number of different ones,
    /// and 1 if the lengths are equal, otherwise 0.
    func agreement(with other: ObjectDigests) -> (same: Int, fewOthers: Int, hasLength: Int) {
      let others = digests.differences(from: other).count
      return (max(digests.count, other.count) - others, -others, digests.size == other.size ? 1 : 0)
    }
  }

  private static func compare(file path: String, with manifest: Manifest) throws(CommandFailure) -> ExitCode {
    let progress = ReadingProgress(path)
    let found: ObjectDigests
    do throws(StorageError) {
      let file = try RandomAccessFile(path: path, followingLinks: true)
      var digester = ObjectDigester()
      while digester.size < file.length {
        let count = min(file.length - digester.size, ObjectDigests.mebibyte)
        digester.update(try file.bytes(at: digester.size, count: Int(count)))
        progress.show(digester.size, of: file.length)
      }
      found = digester.finish()
    } catch {
      progress.end()
      throw .failed(error.description)
    }
    progress.end()
    // A damaged file is taken for the object with which it agrees most. If no mebibyte is equal, the number of
    // different ones and the length decide.
    let objects = Object.all(of: manifest).map { ($0, $0.agreement(with: found)) }
    guard let (object, _) = objects.max(by: { $0.1 < $1.1 }) else { return .failed }
    return conclude(path, object, found, manifest)
  }

  private static func compare(
    served manifest: Manifest, _ access: RobotAccess
  ) async throws(CommandFailure) -> ExitCode {
    let (name, total) = (manifest.item.name, manifest.served.size)
    let progress = ReadingProgress(name)
    var digester = ObjectDigester()
    do throws(RobotError) {
      if total > 0 {
        for try await bytes in access.robot.read(name, version: manifest.item.entityTag) {
          digester.update(bytes)
          progress.show(digester.size, of: total)
        }
      }
    } catch {
      progress.end()
      throw .failed(access.words(for: error))
    }
    progress.end()
    return conclude(
      name, Object(words: "the served file", digests: manifest.served), digester.finish(), manifest)
  }

  private static func conclude(
    _ what: String, _ object: Object, _ found: ObjectDigests, _ manifest: Manifest
  ) -> ExitCode {
    let (shown, name) = (Terminal.printable(what), Terminal.printable(manifest.item.name))
    let differences = object.digests.differences(from: found)
    guard !differences.isEmpty || object.digests != found else {
      Terminal.output("\(shown): good: \(object.words) of \(name), \(found.size) bytes\n")
      return .done
    }
    let longer = object.digests.size > found.size ? object.digests : found
    for number in differences {
      let range = (object.digests.range(ofMebibyte: number).isEmpty ? longer : object.digests).range(ofMebibyte: number)
      Terminal.output(
        "\(shown): MiB \(number) differs: bytes \(range.lowerBound) to \(range.upperBound - 1)\n")
    }
    let count = object.digests.count
    if object.digests.size != found.size {
      Terminal.error("\(shown) has \(found.size) bytes, but \(object.words) of \(name) has \(object.digests.size)\n")
    }
    if differences.count >= count {
      Terminal.error("\(shown) does not belong to \(name), or all of it is damaged\n")
    } else {
      Terminal.error("\(shown) is \(object.words) of \(name), damaged: \(differences.count) of \(count) MiB\n")
    }
    return .failed
  }
}
