/// An app imports only this module, which also exports the library beneath it.
@_exported public import FootageCore
