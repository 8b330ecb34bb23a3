import Timeshift

/// Pieces of a body that are made ahead of their sending, and go out as they play.
struct PacedPieces {
  private var pieces: ArraySlice<(bytes: [UInt8], length: MediaTime)> = []
  /// Bytes of the first piece that have been sent.
  private var sent = 0
  private var pace: FilePace
  /// Nanoseconds between two looks whether the next piece is owed; 0 for each slot.
  private let lookInterval: Int64
  /// Whether all pieces have been made.
  var isMade = false
  /// Media time of all pieces before the first one.
  private(set) var cursor = MediaTime.zero

  init(burst: MediaTime, lookInterval: Int64, now: Int64) {
    pace = FilePace(burst: burst, now: now)
    self.lookInterval = lookInterval
  }

  /// Pieces that wait.
  var count: Int { pieces.count }
  var isOut: Bool { pieces.isEmpty && isMade }
  /// Whether the burst is over.
  var isPaced: Bool { pace.isPaced }

  mutating func append(_ bytes: [UInt8], _ length: MediaTime) { pieces.append((bytes, length)) }

  mutating func next(
    limit: Int, scratch: UnsafeMutableRawBufferPointer, isPrompt: Bool, now: Int64
  ) -> BodyStep {
    let owed = pace.owed(cursor, isPrompt: isPrompt, now: now)
    guard let piece = pieces.first else { return isMade ? .out : .wait(until: now) }
    // A piece that begins within what is owed goes out whole.
    guard sent > 0 || cursor <= owed else {
      pace.caughtUp(isPrompt: isPrompt)
      return .wait(until: now + lookInterval)
    }
    return .bytes(scratch.holding(piece.bytes[sent...].prefix(limit)))
  }

  mutating func took(_ count: Int, isAll: Bool) {
    pace.isStalled = !isAll
    sent += count
    guard let piece = pieces.first, sent == piece.bytes.count else { return }
    cursor += piece.length
    pieces.removeFirst()
    sent = 0
  }
}
