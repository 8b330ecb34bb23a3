import CLinux
import Glibc

/// The events for which a descriptor's handler is called.
public struct Interest: OptionSet, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let read = Interest(rawValue: 1)
  public static let write = Interest(rawValue: 2)
  /// Reports each change once, instead of as long as the state lasts.
  public static let edge = Interest(rawValue: 4)

  var mask: UInt32 {
    var mask: UInt32 = 0
    if contains(.read) { mask |= LINUX_EPOLLIN }
    if contains(.write) { mask |= LINUX_EPOLLOUT }
    if contains(.edge) { mask |= LINUX_EPOLLET }
    return mask
  }
}

/// The events that a descriptor is ready for.
public struct Readiness: OptionSet, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let read = Readiness(rawValue: 1)
  public static let write = Readiness(rawValue: 2)
  public static let error = Readiness(rawValue: 4)
  /// Both directions are closed; after a half-close by the peer, `.read` reports an end of file.
  public static let hangUp = Readiness(rawValue: 8)

  init(mask: UInt32) {
    var ready: Readiness = []
    if mask & LINUX_EPOLLIN != 0 { ready.insert(.read) }
    if mask & LINUX_EPOLLOUT != 0 { ready.insert(.write) }
    if mask & LINUX_EPOLLERR != 0 { ready.insert(.error) }
    if mask & LINUX_EPOLLHUP != 0 { ready.insert(.hangUp) }
    self = ready
  }
}

/// An epoll instance, and room for the events of one wait.
struct Poller: ~Copyable {
  private let descriptor: Int32
  private let events: UnsafeMutableBufferPointer<epoll_event>

  init() throws(SystemError) {
    descriptor = try withoutInterrupts("epoll_create1") { epoll_create1(Int32(EPOLL_CLOEXEC)) }
    events = .allocate(capacity: 512)
  }

  deinit {
    close(descriptor)
    events.deallocate()
  }

  func add(_ fd: Int32, _ interest: Interest, data: UInt64) throws(SystemError) {
    try control(EPOLL_CTL_ADD, fd, interest, data)
  }

  func modify(_ fd: Int32, _ interest: Interest, data: UInt64) throws(SystemError) {
    try control(EPOLL_CTL_MOD, fd, interest, data)
  }

  /// Removes a descriptor. An unregistered one is no error, because the kernel forgets closed descriptors by itself.
  func remove(_ fd: Int32) {
    _ = epoll_ctl(descriptor, EPOLL_CTL_DEL, fd, nil)
  }

  /// Waits at most `milliseconds` (negative: no limit) and returns how many events `event(at:)` has.
  func wait(milliseconds: Int32) -> Int {
    let count = epoll_wait(descriptor, events.baseAddress, Int32(events.count), milliseconds)
    return max(0, Int(count))
  }

  func event(at index: Int) -> (data: UInt64, readiness: Readiness) {
    (events[index].data.u64, Readiness(mask: events[index].events))
  }

  private func control(
    _ operation: Int32, _ fd: Int32, _ interest: Interest, _ data: UInt64
  ) throws(SystemError) {
    var event = epoll_event(events: interest.mask, data: epoll_data_t(u64: data))
    _ = try withoutInterrupts("epoll_ctl", on: "descriptor \(fd)") {
      epoll_ctl(descriptor, operation, fd, &event)
    }
  }
}
