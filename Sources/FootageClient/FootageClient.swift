/// An app imports this module alone: it hands on the library beneath it.
@_exported public import FootageCore
