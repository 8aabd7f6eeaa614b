extension RecordingLibrary {
  /// Starts the thread that makes manifests; to be called once, when the library was started.
  ///
  /// - Parameters:
  ///   - always: whether every recording gets one; else those alone that are asked for.
  ///   - signer: asked for each manifest: the key may be another one by then.
  /// - Throws: `LibraryError.storage` where the system has no thread left.
  package func makeManifests(
    always: Bool, signer: @escaping @Sendable () throws(ManifestSigningFailure) -> ManifestSigner
  ) throws(LibraryError) {
    try startManifests { ManifestMaker($0, always: always, signer: signer) }
  }

  /// The manifest of a ready recording, or word that it is being made. One that is there is never signed anew for this
  /// version. Blocks for as long as it takes to read it: not for an event loop.
  ///
  /// - Throws: `LibraryError`: `.notReady`; `.noManifest` where none can be made, with what to do; `.tooManyManifests`;
  ///   why it could not be made the last time, until that may be tried again; `.storage`.
  package func manifest(
    of recording: Recording, for urgency: ManifestUrgency
  ) throws(LibraryError) -> ManifestAnswer {
    try manifest(of: recording, for: urgency, by: nil)
  }

  /// Opens the manifest of a ready recording for a viewer; one that is not there yet is made in the viewer's turn. Blocks.
  ///
  /// - Parameter asker: tells viewers apart.
  /// - Throws: as `manifest(of:for:)`; `LibraryError.manifestBeingMade`.
  package func openManifest(of recording: Recording, for asker: Int) throws(LibraryError) -> Representation {
    switch try manifest(of: recording, for: .viewer, by: asker) {
    case .ready(let manifest): return try recording.representation(ofManifest: manifest)
    case .beingMade: throw .manifestBeingMade(name: recording.name)
    }
  }

  private func manifest(
    of recording: Recording, for urgency: ManifestUrgency, by asker: Int?
  ) throws(LibraryError) -> ManifestAnswer {
    guard let maker = manifestMaker else {
      throw .noManifest(name: recording.name, reason: "manifests are made by the server alone")
    }
    return try maker.manifest(of: recording, urgency, by: asker)
  }

  /// Has somebody told whenever a manifest was made or could not be, from the thread that makes them; should be quick.
  /// To be called once manifests are made.
  package func onManifest(_ tell: @escaping @Sendable (ManifestNotice) -> Void) { manifestMaker?.observe(tell) }
}
