import Glibc

/// A failed system call: its name, its object, and the kernel's reason.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  public var call: String
  /// The object of the call, in words: an address, a path; may be empty.
  public var on: String
  /// The `errno` value.
  public var code: Int32

  public init(call: String, on: String = "", code: Int32) {
    self.call = call
    self.on = on
    self.code = code
  }

  /// The kernel's words for the code.
  public var reason: String { String(cString: strerror(code)) }

  public var description: String {
    on.isEmpty ? "\(call): \(reason)" : "\(call) \(on): \(reason)"
  }
}

/// Repeats a call while signals interrupt it; any other failure is thrown.
@inline(__always)
func withoutInterrupts(
  _ call: String, on what: @autoclosure () -> String = "", _ body: () -> Int32
) throws(SystemError) -> Int32 {
  while true {
    let result = body()
    if result >= 0 { return result }
    let code = errno
    if code != EINTR { throw SystemError(call: call, on: what(), code: code) }
  }
}
