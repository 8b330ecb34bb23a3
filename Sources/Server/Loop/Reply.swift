import Glibc
import Wire

/// An answer on its way out, and what becomes of the connection behind it.
struct Reply {
  /// More than a client has reason to send ahead.
  static let aheadBytesMax = 16 * 1024

  /// Its head, or all of it.
  private let head: [UInt8]
  /// What follows the head: never copied, since many may be sent the same page.
  private let page: [UInt8]
  /// Memory that it takes; given back with the reply.
  private let room: MemoryRoom.Place?
  /// What is read while it is sent.
  enum Body {
    case clip(ClipBody)
    case file(FileBody)
  }

  /// What follows the bytes; nil: nothing.
  let body: Body?
  private(set) var sent = 0
  /// Monotonic nanoseconds.
  private var began: Int64
  /// Whether another request may follow.
  private(set) var keepsAlive: Bool
  /// What the client has sent ahead of the answer.
  private(set) var ahead: [UInt8] = []

  init(
    _ head: [UInt8], page: [UInt8] = [], room: MemoryRoom.Place? = nil, body: Body? = nil,
    keepsAlive: Bool, ahead: [UInt8], now: Int64
  ) {
    (self.head, self.page, self.room) = (head, page, room)
    self.body = body
    self.keepsAlive = keepsAlive
    began = now
    take(ahead)
  }

  var holdsRoom: Bool { room != nil }

  var isOut: Bool { sent == head.count + page.count }

  mutating func took(_ count: Int) { sent += count }

  /// More of a page goes out in a turn of its own: others come first.
  private static let turnBytes = 256 * 1024

  /// Calls `body` with what comes next, in as many parts as it lies in.
  func withNext<Result>(_ body: (UnsafeMutablePointer<iovec>, Int) -> Result) -> Result {
    head.withUnsafeBytes { head in
      page.withUnsafeBytes { page in
        withUnsafeTemporaryAllocation(of: iovec.self, capacity: 2) { parts in
          let headPart = UnsafeRawBufferPointer(rebasing: head[min(sent, head.count)...])
          let pageSent = max(0, sent - head.count)
          let pagePart = UnsafeRawBufferPointer(
            rebasing: page[pageSent..<min(page.count, pageSent + Self.turnBytes)])
          var count = 0
          for part in [headPart, pagePart] where !part.isEmpty {
            parts.initializeElement(
              at: count,
              to: iovec(
                iov_base: UnsafeMutableRawPointer(mutating: part.baseAddress),
                iov_len: part.count))
            count += 1
          }
          return body(parts.baseAddress!, count)
        }
      }
    }
  }

  /// Slower than this nobody is sent an answer: 1 KiB a second, after the first `patience`.
  private static let nanosecondsPerByte: Int64 = 1_000_000_000 / 1024
  /// Longer than this no answer takes.
  private static let timeMax: Int64 = 900_000_000_000

  /// Where memory is short it has to be taken within this, at an even pace after the first `patience`.
  private static let crowdedTimeMax: Int64 = 60_000_000_000

  /// Until when more of it has to be taken. Whoever goes on taking it has longer, and nobody for ever.
  ///
  /// - Parameter isCrowded: whether others have no room for their answers.
  func deadline(now: Int64, patience: Int64, isCrowded: Bool = false) -> Int64 {
    let bytes = Int64(max(1, head.count + page.count))
    let perByte = isCrowded ? Self.crowdedTimeMax / bytes : Self.nanosecondsPerByte
    let earned = patience + Int64(sent) * min(perByte, Self.nanosecondsPerByte)
    return min(now + patience, began + min(earned, Self.timeMax))
  }

  /// Nobody was there to send it for so long.
  mutating func bear(_ nanoseconds: Int64) { began = began.saturatingAdd(nanoseconds) }

  mutating func take(_ input: some Collection<UInt8>) {
    guard keepsAlive else { return }
    if ahead.count + input.count > Self.aheadBytesMax {
      keepsAlive = false
      ahead = []
    } else {
      ahead.append(contentsOf: input)
    }
  }
}
