public import Foundation

// CoreFoundation.h, as far as Security's calls need it. Apple's types are bridged to Foundation's; here they are these.

public typealias CFArray = NSArray
public typealias CFData = NSData
public typealias CFDate = NSDate
public typealias CFDictionary = NSDictionary
public typealias CFError = NSError
public typealias CFString = NSString
public typealias CFTypeID = UInt
public typealias CFTypeRef = AnyObject
public typealias OSStatus = Int32

public func CFErrorCopyDescription(_ error: CFError!) -> CFString! { error.localizedDescription as CFString }

public func CFGetTypeID(_ value: CFTypeRef!) -> CFTypeID { value is SecIdentity ? SecIdentityGetTypeID() : 0 }
