/// The same modules that Apple's AVFoundation re-exports.
@_exported public import CoreGraphics
@_exported public import CoreMedia
@_exported public import Foundation
