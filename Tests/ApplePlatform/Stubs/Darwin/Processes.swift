@_exported import struct Glibc.sigset_t
@_exported import struct Glibc.timespec
internal import Glibc

// pthread.h, signal.h, time.h, stdlib.h, unistd.h, arpa/inet.h, net/if.h.

public typealias clockid_t = Int32
public typealias pid_t = Int32
public typealias useconds_t = UInt32

public var CLOCK_REALTIME: clockid_t { Glibc.CLOCK_REALTIME }
/// Goes on while the machine sleeps: Linux's `CLOCK_BOOTTIME`.
public var CLOCK_MONOTONIC: clockid_t { Glibc.CLOCK_BOOTTIME }
/// Stands still while the machine sleeps: Linux's `CLOCK_MONOTONIC`.
public var CLOCK_UPTIME_RAW: clockid_t { Glibc.CLOCK_MONOTONIC }

@discardableResult
public func clock_gettime(_ clock: clockid_t, _ time: UnsafeMutablePointer<timespec>!) -> Int32 {
  Glibc.clock_gettime(clock, time)
}

public func getenv(_ name: UnsafePointer<CChar>!) -> UnsafeMutablePointer<CChar>! { Glibc.getenv(name) }
public func free(_ pointer: UnsafeMutableRawPointer!) { Glibc.free(pointer) }
public func geteuid() -> uid_t { Glibc.geteuid() }
public func getpid() -> pid_t { Glibc.getpid() }
@discardableResult
public func usleep(_ microseconds: useconds_t) -> Int32 { Glibc.usleep(microseconds) }

// MARK: Threads

public struct _opaque_pthread_t {}
public struct pthread_attr_t {}
public typealias pthread_t = UnsafeMutablePointer<_opaque_pthread_t>

public var SIGABRT: Int32 { Glibc.SIGABRT }
public var SIGBUS: Int32 { Glibc.SIGBUS }
public var SIGFPE: Int32 { Glibc.SIGFPE }
public var SIGILL: Int32 { Glibc.SIGILL }
public var SIGSEGV: Int32 { Glibc.SIGSEGV }
public var SIGSYS: Int32 { Glibc.SIGSYS }
public var SIGTRAP: Int32 { Glibc.SIGTRAP }
public var SIG_SETMASK: Int32 { Glibc.SIG_SETMASK }

@discardableResult
public func sigfillset(_ set: UnsafeMutablePointer<sigset_t>!) -> Int32 { Glibc.sigfillset(set) }
@discardableResult
public func sigdelset(_ set: UnsafeMutablePointer<sigset_t>!, _ signal: Int32) -> Int32 {
  Glibc.sigdelset(set, signal)
}
@discardableResult
public func pthread_sigmask(
  _ how: Int32, _ set: UnsafePointer<sigset_t>!, _ before: UnsafeMutablePointer<sigset_t>!
) -> Int32 {
  Glibc.pthread_sigmask(how, set, before)
}

private final class Start {
  let body: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?
  let argument: UnsafeMutableRawPointer

  init(
    _ body: @escaping @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?,
    _ argument: UnsafeMutableRawPointer
  ) {
    self.body = body
    self.argument = argument
  }
}

@discardableResult
public func pthread_create(
  _ identity: UnsafeMutablePointer<pthread_t?>!, _ attributes: UnsafePointer<pthread_attr_t>?,
  _ body: @escaping @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?,
  _ argument: UnsafeMutableRawPointer!
) -> Int32 {
  var number = Glibc.pthread_t()
  let start = Unmanaged.passRetained(Start(body, argument))
  let status = Glibc.pthread_create(
    &number, nil,
    { argument in
      guard let argument else { return nil }
      let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
      return start.body(start.argument)
    }, start.toOpaque())
  if status == 0 { identity.pointee = pthread_t(bitPattern: UInt(number)) } else { start.release() }
  return status
}

@discardableResult
public func pthread_join(
  _ thread: pthread_t, _ value: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> Int32 {
  Glibc.pthread_join(UInt(bitPattern: thread), value)
}

@discardableResult
public func pthread_detach(_ thread: pthread_t) -> Int32 { Glibc.pthread_detach(UInt(bitPattern: thread)) }
public func pthread_self() -> pthread_t! { pthread_t(bitPattern: UInt(Glibc.pthread_self())) }
@discardableResult
public func pthread_setname_np(_ name: UnsafePointer<CChar>) -> Int32 { 0 }

// MARK: Addresses

public var AF_INET: Int32 { Glibc.AF_INET }
public var AF_INET6: Int32 { Glibc.AF_INET6 }

@discardableResult
public func inet_pton(_ family: Int32, _ text: UnsafePointer<CChar>!, _ address: UnsafeMutableRawPointer!) -> Int32 {
  Glibc.inet_pton(family, text, address)
}

public func inet_ntop(
  _ family: Int32, _ address: UnsafeRawPointer!, _ text: UnsafeMutablePointer<CChar>!, _ length: UInt32
) -> UnsafePointer<CChar>! {
  Glibc.inet_ntop(family, address, text, length)
}

public func if_nametoindex(_ name: UnsafePointer<CChar>!) -> UInt32 { Glibc.if_nametoindex(name) }

public func if_indextoname(_ number: UInt32, _ name: UnsafeMutablePointer<CChar>!) -> UnsafeMutablePointer<CChar>! {
  Glibc.if_indextoname(number, name)
}
