// Re-exports what all tests share.
@_exported import TestSupport
