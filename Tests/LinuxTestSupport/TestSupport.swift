// Hands on what all tests share.
@_exported import TestSupport
