/// Runs all tests. SwiftPM's own runner asks for Darwin by `canImport`, and then for Apple's XCTest.
import Testing

await Testing.__swiftPMEntryPoint() as Never
