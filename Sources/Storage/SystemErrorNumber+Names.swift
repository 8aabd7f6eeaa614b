/// The numbers that Footage decides upon, by name.

internal import Glibc

extension SystemErrorNumber {
  package static let alreadyExists = SystemErrorNumber(rawValue: EEXIST)
  package static let crossDevice = SystemErrorNumber(rawValue: EXDEV)
  package static let diskQuotaExceeded = SystemErrorNumber(rawValue: EDQUOT)
  package static let exhaustedMemory = SystemErrorNumber(rawValue: ENOMEM)
  package static let fileTooLarge = SystemErrorNumber(rawValue: EFBIG)
  package static let invalidArgument = SystemErrorNumber(rawValue: EINVAL)
  package static let ioError = SystemErrorNumber(rawValue: EIO)
  package static let noSpaceLeft = SystemErrorNumber(rawValue: ENOSPC)
  package static let notAFolder = SystemErrorNumber(rawValue: ENOTDIR)
  package static let notFound = SystemErrorNumber(rawValue: ENOENT)
  package static let notImplemented = SystemErrorNumber(rawValue: ENOSYS)
  package static let notPermitted = SystemErrorNumber(rawValue: EPERM)
  package static let notSupported = SystemErrorNumber(rawValue: EOPNOTSUPP)
  package static let permissionDenied = SystemErrorNumber(rawValue: EACCES)
  package static let readOnlyFileSystem = SystemErrorNumber(rawValue: EROFS)
  package static let symbolicLink = SystemErrorNumber(rawValue: ELOOP)
  package static let tooManyLinks = SystemErrorNumber(rawValue: EMLINK)
  package static let tooManyOpenFiles = SystemErrorNumber(rawValue: EMFILE)
  package static let tooManyOpenFilesInAll = SystemErrorNumber(rawValue: ENFILE)
  package static let wouldBlock = SystemErrorNumber(rawValue: EAGAIN)
}
