/// What waits for a listener's socket. Most listeners have it for moments; a slow line has it for long.
struct LineState: SlotRecord {
  /// Bytes that go out before anything else.
  var rest: [UInt8] = []
  /// The line's pace, while it may be too slow for the station.
  var shortfall: Shortfall?

  var isEmpty: Bool { rest.isEmpty && shortfall == nil }
}
