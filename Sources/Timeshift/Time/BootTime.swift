import Glibc
import Wire

/// Which start of the machine this is: as long as it is the same, its clock tells how long anything took.
public struct BootID: Hashable, Sendable {
  /// `byteCount` of them.
  let bytes: [UInt8]
  static let byteCount = 16

  /// The kernel's; nil: it does not say.
  public static let current = read("/proc/sys/kernel/random/boot_id")

  /// nil: not 16 bytes, or zeros alone, which say nothing.
  init?(bytes: [UInt8]) {
    guard bytes.count == Self.byteCount, bytes.contains(where: { $0 != 0 }) else {
      return nil
    }
    self.bytes = bytes
  }

  /// As the kernel writes it: 32 hexadecimal digits, with hyphens between.
  public init?(text: String) {
    let digits = text.utf8.prefix(64).filter { $0 != UInt8(ascii: "-") && $0 > 0x20 }
    guard digits.count == 2 * Self.byteCount else { return nil }
    var bytes: [UInt8] = []
    for place in stride(from: 0, to: digits.count, by: 2) {
      let pair = String(decoding: digits[place..<place + 2], as: UTF8.self)
      guard pair.utf8.allSatisfy({ $0 != UInt8(ascii: "+") }), let byte = UInt8(pair, radix: 16)
      else { return nil }
      bytes.append(byte)
    }
    self.init(bytes: bytes)
  }

  private static func read(_ path: String) -> BootID? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var text = [UInt8](repeating: 0, count: 64)
    let count = Glibc.read(file, &text, text.count)
    return count > 0 ? BootID(text: String(decoding: text[..<count], as: UTF8.self)) : nil
  }
}

/// When something was by the clock that runs since the machine was started: nobody sets it.
struct BootTime: Hashable, Sendable {
  /// Of that start; nil: not known, so that only this process can say anything by it.
  var id: BootID?
  var time: MonotonicTime

  func adding(nanoseconds: Int64) -> BootTime {
    BootTime(id: id, time: time.adding(nanoseconds: nanoseconds))
  }
}

/// How long ago a log's end was on air, in seconds.
public enum TimeAway: Hashable, Sendable {
  case exactly(Double)
  /// The machine was started anew meanwhile, and its wall clock says what cannot be.
  case atLeast(Double)

  /// Nobody keeps a window for longer: a clock that says more is wrong.
  static let secondsMax = 366.0 * 86_400
  /// How much clocks that are right may disagree.
  static let tolerance = 5.0
}
