/// Stands in for the product's module of this name, without the look for robots.
@_exported public import FootageAVFoundation
@_exported public import FootageCore
@_exported public import FootageFoundation
@_exported public import FootageLoopback
@_exported public import FootageTransport
