/// What an app imports: the library, what it has from Foundation, the transport of this platform, the proxy for players.
@_exported public import FootageCore
@_exported public import FootageFoundation
@_exported public import FootageLoopback
@_exported public import FootageOpenSSL
