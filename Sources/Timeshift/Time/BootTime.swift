import Glibc
import Wire

/// Identifies one start of the machine. While it is the same, the machine's clock measures all durations.
public struct BootID: Hashable, Sendable {
  /// The id's `byteCount` bytes.
  let bytes: [UInt8]
  static let byteCount = 16

  /// The kernel's id of the present start; nil if the kernel does not tell.
  public static let current = read("/proc/sys/kernel/random/boot_id")

  /// Makes an id of 16 bytes; nil for another number, or for zeros alone, which say nothing.
  init?(bytes: [UInt8]) {
    guard bytes.count == Self.byteCount, bytes.contains(where: { $0 != 0 }) else {
      return nil
    }
    self.bytes = bytes
  }

  /// Reads the id as the kernel writes it: 32 hexadecimal digits with hyphens between.
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

  /// The id as 32 hexadecimal digits.
  public var text: String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
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

/// A moment by the clock that runs since the machine's start and is never set.
struct BootTime: Hashable, Sendable {
  /// The id of that start; nil if unknown: the time then means something to this process only.
  var id: BootID?
  var time: MonotonicTime

  func adding(nanoseconds: Int64) -> BootTime {
    BootTime(id: id, time: time.adding(nanoseconds: nanoseconds))
  }
}

/// How long ago a log's end was on air, in seconds.
public enum TimeAway: Hashable, Sendable {
  case exactly(Double)
  /// The machine was started anew meanwhile, and its wall clock says something impossible.
  case atLeast(Double)

  /// The longest time away that is believed, in seconds. No window is kept longer, so a clock that says more is wrong.
  static let secondsMax = 366.0 * 86_400
  /// How many seconds correct clocks may disagree.
  static let tolerance = 5.0

  /// Seconds since `then` by the clock of one start of the machine; nil at another start.
  static func steady(since then: BootTime?, at now: Moment, on boot: BootID?) -> Double? {
    guard let then, then.id == boot else { return nil }
    let seconds = Double(now.sinceBoot.nanoseconds(since: then.time)) / 1e9
    return seconds >= -tolerance ? max(0, seconds) : nil
  }

  /// What a wall clock says of a time away, in seconds; nil if that cannot be.
  static func believed(_ seconds: Double) -> Double? {
    (-tolerance...secondsMax).contains(seconds) ? max(0, seconds) : nil
  }
}
