/// What an app imports: the library, what it has from Foundation, the transport of this platform, the proxy for players,
/// the look for robots, models for screens, and on Apple's platforms the items of AVPlayer.
#if canImport(AVFoundation)
@_exported public import FootageAVFoundation
#endif
@_exported public import FootageCore
@_exported public import FootageDiscovery
@_exported public import FootageFoundation
@_exported public import FootageLoopback
@_exported public import FootageObservation
@_exported public import FootageTransport
