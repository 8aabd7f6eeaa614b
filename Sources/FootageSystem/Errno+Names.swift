#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// The error numbers on which decisions depend, by name.
extension Errno {
  package static let addressInUse = Errno(rawValue: EADDRINUSE)
  package static let addressNotAvailable = Errno(rawValue: EADDRNOTAVAIL)
  package static let addressFamilyNotSupported = Errno(rawValue: EAFNOSUPPORT)
  package static let alreadyExists = Errno(rawValue: EEXIST)
  package static let brokenPipe = Errno(rawValue: EPIPE)
  package static let canceled = Errno(rawValue: ECANCELED)
  package static let connectionRefused = Errno(rawValue: ECONNREFUSED)
  package static let crossDevice = Errno(rawValue: EXDEV)
  package static let diskQuotaExceeded = Errno(rawValue: EDQUOT)
  package static let exhaustedMemory = Errno(rawValue: ENOMEM)
  package static let fileTooLarge = Errno(rawValue: EFBIG)
  package static let invalidArgument = Errno(rawValue: EINVAL)
  package static let ioError = Errno(rawValue: EIO)
  package static let isAFolder = Errno(rawValue: EISDIR)
  package static let noData = Errno(rawValue: SystemCalls.noAttribute)
  package static let nameTooLong = Errno(rawValue: ENAMETOOLONG)
  package static let noSpaceLeft = Errno(rawValue: ENOSPC)
  package static let notAFolder = Errno(rawValue: ENOTDIR)
  package static let notFound = Errno(rawValue: ENOENT)
  package static let notImplemented = Errno(rawValue: ENOSYS)
  package static let notPermitted = Errno(rawValue: EPERM)
  package static let notSupported = Errno(rawValue: SystemCalls.notSupported)
  package static let outOfRange = Errno(rawValue: ERANGE)
  package static let permissionDenied = Errno(rawValue: EACCES)
  package static let readOnlyFileSystem = Errno(rawValue: EROFS)
  package static let symbolicLink = Errno(rawValue: ELOOP)
  package static let timedOut = Errno(rawValue: ETIMEDOUT)
  package static let tooManyLinks = Errno(rawValue: EMLINK)
  package static let tooManyOpenFiles = Errno(rawValue: EMFILE)
  package static let tooManyOpenFilesInAll = Errno(rawValue: ENFILE)
  package static let wouldBlock = Errno(rawValue: EAGAIN)
}
