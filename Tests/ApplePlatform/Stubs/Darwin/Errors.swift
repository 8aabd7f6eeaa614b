internal import CFootageLinux
internal import Glibc

// errno.h and string.h.

public var errno: Int32 {
  get { Glibc.errno }
  set { Glibc.errno = newValue }
}

@discardableResult
public func strlen(_ text: UnsafePointer<CChar>!) -> Int { Glibc.strlen(text) }

@discardableResult
public func strerror_r(_ number: Int32, _ buffer: UnsafeMutablePointer<CChar>!, _ length: Int) -> Int32 {
  guard length > 0, let words = clinux_error_text(number) else { return EINVAL }
  Glibc.strncpy(buffer, words, length)
  buffer[length - 1] = 0
  return 0
}

public var EACCES: Int32 { Glibc.EACCES }
public var EADDRINUSE: Int32 { Glibc.EADDRINUSE }
public var EADDRNOTAVAIL: Int32 { Glibc.EADDRNOTAVAIL }
public var EAFNOSUPPORT: Int32 { Glibc.EAFNOSUPPORT }
public var EAGAIN: Int32 { Glibc.EAGAIN }
public var EBADF: Int32 { Glibc.EBADF }
public var ECANCELED: Int32 { Glibc.ECANCELED }
public var ECONNABORTED: Int32 { Glibc.ECONNABORTED }
public var ECONNREFUSED: Int32 { Glibc.ECONNREFUSED }
public var ECONNRESET: Int32 { Glibc.ECONNRESET }
public var EDQUOT: Int32 { Glibc.EDQUOT }
public var EEXIST: Int32 { Glibc.EEXIST }
public var EFBIG: Int32 { Glibc.EFBIG }
public var EHOSTUNREACH: Int32 { Glibc.EHOSTUNREACH }
public var EINTR: Int32 { Glibc.EINTR }
public var EINVAL: Int32 { Glibc.EINVAL }
public var EIO: Int32 { Glibc.EIO }
public var EISDIR: Int32 { Glibc.EISDIR }
public var ELOOP: Int32 { Glibc.ELOOP }
public var EMFILE: Int32 { Glibc.EMFILE }
public var EMLINK: Int32 { Glibc.EMLINK }
public var ENAMETOOLONG: Int32 { Glibc.ENAMETOOLONG }
public var ENETDOWN: Int32 { Glibc.ENETDOWN }
public var ENETUNREACH: Int32 { Glibc.ENETUNREACH }
public var ENFILE: Int32 { Glibc.ENFILE }
public var ENODEV: Int32 { Glibc.ENODEV }
public var ENOENT: Int32 { Glibc.ENOENT }
public var ENOMEM: Int32 { Glibc.ENOMEM }
public var ENOSPC: Int32 { Glibc.ENOSPC }
public var ENOSYS: Int32 { Glibc.ENOSYS }
public var ENOTCONN: Int32 { Glibc.ENOTCONN }
public var ENOTDIR: Int32 { Glibc.ENOTDIR }
/// Linux calls it `ENODATA`.
public var ENOATTR: Int32 { Glibc.ENODATA }
public var ENOTSUP: Int32 { Glibc.ENOTSUP }
public var ENOTTY: Int32 { Glibc.ENOTTY }
public var EOPNOTSUPP: Int32 { Glibc.EOPNOTSUPP }
public var EPERM: Int32 { Glibc.EPERM }
public var EPIPE: Int32 { Glibc.EPIPE }
public var ERANGE: Int32 { Glibc.ERANGE }
public var EROFS: Int32 { Glibc.EROFS }
public var ETIMEDOUT: Int32 { Glibc.ETIMEDOUT }
public var EXDEV: Int32 { Glibc.EXDEV }
