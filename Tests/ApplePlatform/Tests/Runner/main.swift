/// A program that runs all tests. SwiftPM's own runner tests for Darwin with `canImport`, and then requires Apple's
/// XCTest.
import Testing

await Testing.__swiftPMEntryPoint() as Never
