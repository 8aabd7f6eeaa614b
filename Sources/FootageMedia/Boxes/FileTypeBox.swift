internal import FootageBase

/// The `ftyp` of a movie that Footage builds.
enum FileTypeBox {
  /// Brands that promise fragments or segments of a stream. The served file has neither, and players that trust these
  /// brands would search for `moof`. (ISO/IEC 14496-12 Annex E, ISO/IEC 23000-19 §7.2, ISO/IEC 23009-1 §6.3.)
  private static let fragmentBrands: Set<FourCharacterCode> = [
    "iso5", "iso6", "iso7", "iso8", "iso9", "isoa", "isob", "isoc", "dash", "msdh", "msix", "sims", "risx", "lmsg",
    "dsms", "dby1", "cmfc", "cmf2", "cmff", "cmfl", "cmfs", "cmfd", "cmfa", "cmfv", "cmft", "chh1", "hlsf", "piff",
    "ccff", "avc3",
  ]

  /// Returns true if the `ftyp` says that the file is a QuickTime movie.
  ///
  /// - Parameter source: the recorder's complete `ftyp`, or nil.
  static func isQuickTime(_ source: BoxBuffer?) -> Bool {
    guard let source, source.root.payload.count >= 8 else { return false }
    return FourCharacterCode(source.bytes.borrowedSpan.uint32(at: source.root.payload.lowerBound)) == "qt  "
  }

  /// Returns an `ftyp` for a movie that is built from existing samples.
  static func plain(isQuickTime: Bool) -> [UInt8] {
    var writer = BoxWriter()
    writer.box("ftyp") {
      $0.uint32((isQuickTime ? "qt  " : "isom" as FourCharacterCode).rawValue)
      $0.uint32(0x200)
      for brand in isQuickTime ? ["qt  "] : ["isom", "iso2", "mp41"] as [FourCharacterCode] {
        $0.uint32(brand.rawValue)
      }
    }
    return writer.bytes
  }

  /// - Parameter source: the recorder's complete `ftyp`, or nil.
  static func withoutFragments(_ source: BoxBuffer?) -> [UInt8] {
    var major: FourCharacterCode = "isom"
    var minor: UInt32 = 0x200
    var brands: [FourCharacterCode] = []
    if let source, source.root.payload.count >= 8 {
      let raw = source.bytes.borrowedSpan
      let start = source.root.payload.lowerBound
      let sourceMajor = FourCharacterCode(raw.uint32(at: start))
      if !fragmentBrands.contains(sourceMajor) {
        major = sourceMajor
        minor = raw.uint32(at: start + 4)
      }
      for position in stride(from: start + 8, through: source.root.end - 4, by: 4) {
        let brand = FourCharacterCode(raw.uint32(at: position))
        if !fragmentBrands.contains(brand), !brands.contains(brand) { brands.append(brand) }
      }
    }
    let ours: [FourCharacterCode] = major == "qt  " ? ["qt  "] : [major, "isom", "iso2", "mp41"]
    for brand in ours where !brands.contains(brand) { brands.append(brand) }
    var writer = BoxWriter()
    writer.box("ftyp") {
      $0.uint32(major.rawValue)
      $0.uint32(minor)
      for brand in brands { $0.uint32(brand.rawValue) }
    }
    return writer.bytes
  }
}
