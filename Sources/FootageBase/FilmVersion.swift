/// The version of the rules by which films are cut into segments.
///
/// It is part of the addresses of films and of the entity tags of their parts, which may be cached forever. It changes
/// whenever the bytes of segments or init segments change, or the number of a segment stands for other pictures.
package enum FilmVersion {
  package static let current: UInt8 = 2
}
