/// What an app imports: the library, the transport of this platform, and the proxy for players.
@_exported public import FootageCore
@_exported public import FootageLoopback
@_exported public import FootageOpenSSL
