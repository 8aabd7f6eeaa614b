/// Stands in for the product's module of this name, as far as that is not compiled for Apple's platforms yet.
@_exported public import FootageAVFoundation
@_exported public import FootageCore
@_exported public import FootageFoundation
@_exported public import FootageTransport
