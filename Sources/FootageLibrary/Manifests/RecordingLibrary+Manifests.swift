extension RecordingLibrary {
  /// Starts the thread that makes manifests. Call this once, after starting the library.
  ///
  /// - Parameters:
  ///   - always: true if every recording gets one; otherwise only those requested.
  ///   - signer: called for each manifest, because the key may change.
  /// - Throws: `LibraryError.storage` if the system has no threads left.
  package func makeManifests(
    always: Bool, signer: @escaping @Sendable () throws(ManifestSigningFailure) -> ManifestSigner
  ) throws(LibraryError) {
    try startManifests { ManifestMaker($0, always: always, signer: signer) }
  }

  /// Returns the manifest of a ready recording, or the answer that it is being made. An existing manifest is never
  /// signed again for the same version. Blocks while it reads the manifest: do not call on an event loop.
  ///
  /// - Throws: `LibraryError`: `.notReady`; `.noManifest` if none can be made, with the remedy; `.tooManyManifests`;
  ///   the error of the last attempt, until another attempt is allowed; `.storage`.
  package func manifest(
    of recording: Recording, for urgency: ManifestUrgency
  ) throws(LibraryError) -> ManifestAnswer {
    try manifest(of: recording, for: urgency, by: nil)
  }

  /// Opens the manifest of a ready recording for a viewer; if it is missing, it is made when it is the viewer's turn.
  /// Blocks.
  ///
  /// - Parameter asker: distinguishes the viewers.
  /// - Throws: the errors of `manifest(of:for:)`; `LibraryError.manifestBeingMade`.
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
      throw .noManifest(name: recording.name, reason: "only the server makes manifests")
    }
    return try maker.manifest(of: recording, urgency, by: asker)
  }

  /// Adds an observer that is called on the maker's thread whenever a manifest was made or could not be made; it should
  /// be quick. Call this after `makeManifests`.
  package func onManifest(_ tell: @escaping @Sendable (ManifestNotice) -> Void) { manifestMaker?.observe(tell) }
}
