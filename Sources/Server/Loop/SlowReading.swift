import Timeshift
import Wire

/// How somebody takes a file or a clip, over minutes: whoever takes next to nothing holds a place and hears nothing.
struct SlowReading {
  /// As long as a listener may pause, unless it is told otherwise.
  static let spanNanoseconds: Int64 = 300_000_000_000
  /// Of what plays meanwhile.
  static let shareMin = 0.1

  private var spanBegan: Int64
  /// Media time that had been taken then.
  private var cursorThen = MediaTime.zero
  private(set) var isTooSlow = false

  /// - Parameter now: monotonic nanoseconds.
  init(now: Int64) { spanBegan = now }

  /// Nobody was there to send for so long.
  mutating func bear(_ nanoseconds: Int64) { spanBegan = spanBegan.saturatingAdd(nanoseconds) }

  /// Looked at about once a second; it is judged at the end of each span.
  mutating func look(at cursor: MediaTime, now: Int64) {
    guard now - spanBegan >= Self.spanNanoseconds else { return }
    let enough = Double(now - spanBegan) / 1e9 * Self.shareMin
    isTooSlow = (cursor - cursorThen).seconds < enough
    (spanBegan, cursorThen) = (now, cursor)
  }
}

// Places that are held for nothing are given to others when there are few left.
extension LoopServer {
  /// Once a second.
  func attendSlowReaders(now: Int64) {
    if fileSlots.isEmpty, clips.now == 0 { return }
    let isCrowded = shared.isCrowded
    let isCrowdedWithFiles = isCrowded || shared.files.isCrowded
    for index in connections.places.indices {
      let slot = UInt32(index)
      guard case .replying(let reply) = connections[slot].state else { continue }
      let goes: Bool
      switch reply.body {
      case .file(let body):
        body.reading.look(at: body.cursor, now: now)
        goes = isCrowdedWithFiles && body.reading.isTooSlow
      case .clip(let body):
        body.reading.look(at: body.cursor, now: now)
        goes = isCrowded && body.reading.isTooSlow
      case nil: continue
      }
      if goes { close(slot, .pauseTimeout) }
    }
  }
}
