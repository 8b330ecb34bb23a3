import Glibc
import Wire

/// An answer on its way out, and what becomes of the connection behind it.
struct Reply {
  /// Bytes that a client may send ahead: more than it has reason to.
  static let aheadBytesMax = 16 * 1024

  /// The answer's head, or all of the answer.
  private let head: [UInt8]
  /// Bytes that follow the head: never copied, since many connections may be sent the same page.
  private let page: [UInt8]
  /// Memory reserved for the answer; given back with the reply.
  private let room: MemoryRoom.Place?
  /// The body that follows the bytes; nil for none.
  let sending: Sending?
  private(set) var sent = 0
  /// Time when the answer began, monotonic nanoseconds.
  private var began: Int64
  /// Whether another request may follow.
  private(set) var keepsAlive: Bool
  /// Input that the client has sent ahead of the answer.
  private(set) var ahead: [UInt8] = []

  init(
    _ head: [UInt8], page: [UInt8] = [], room: MemoryRoom.Place? = nil, sending: Sending? = nil,
    keepsAlive: Bool, ahead: [UInt8], now: Int64
  ) {
    (self.head, self.page, self.room) = (head, page, room)
    self.sending = sending
    self.keepsAlive = keepsAlive
    began = now
    receive(ahead)
  }

  var holdsRoom: Bool { room != nil }

  var isOut: Bool { sent == head.count + page.count }

  mutating func took(_ count: Int) { sent += count }

  /// Bytes of a page in one turn; more goes out in a turn of its own, so that others come first.
  private static let turnBytes = 256 * 1024

  /// Calls `body` with the next bytes, in as many parts as they lie in.
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

  /// Slowest pace at which an answer must be taken: 1 KiB a second, after the first `patience`.
  private static let nanosecondsPerByte: Int64 = 1_000_000_000 / 1024
  /// Longest time that an answer may take.
  private static let timeMax: Int64 = 900_000_000_000

  /// Time in which an answer must be taken where memory is short, at an even pace after the first `patience`.
  private static let crowdedTimeMax: Int64 = 60_000_000_000

  /// Returns until when more of the answer must be taken. A client that goes on taking it has longer, but not for ever.
  ///
  /// - Parameter isCrowded: whether other clients have no room for their answers.
  func deadline(now: Int64, patience: Int64, isCrowded: Bool = false) -> Int64 {
    let bytes = Int64(max(1, head.count + page.count))
    let perByte = isCrowded ? Self.crowdedTimeMax / bytes : Self.nanosecondsPerByte
    let earned = patience + Int64(sent) * min(perByte, Self.nanosecondsPerByte)
    return min(now + patience, began + min(earned, Self.timeMax))
  }

  /// Leaves out a standstill, during which nothing could be sent.
  mutating func bear(_ nanoseconds: Int64) {
    began = began.saturatingAdd(nanoseconds)
    sending?.reading.bear(nanoseconds)
  }

  mutating func receive(_ input: some Collection<UInt8>) {
    guard keepsAlive else { return }
    if ahead.count + input.count > Self.aheadBytesMax {
      keepsAlive = false
      ahead = []
    } else {
      ahead.append(contentsOf: input)
    }
  }
}
