/// What may befall a station. Each has random numbers of its own: without one of them the others stay as they are.
///
/// New ones come last, so that a seed keeps what it had.
enum Trouble: String, CaseIterable, Sendable {
  // The upstream.
  case cuts, outages, bursts, slowLines, repeats, encodings, shortVisits, freezes, garbled
  // Clocks.
  case wallSteps
  // The process and the machine.
  case kills, powerLosses, stops, stalls
  // The disk.
  case readErrors, writeErrors, openErrors, syncErrors, cold, fullDisk, rot
  // Listeners.
  case slowListeners
  // The upstream sends Ogg; a better one is tried beside it.
  case ogg, takeovers
  // Listeners are moved, paused, and come again where they went; some hear everything later.
  case steering, sessions, delays
  // The wall clock is set while the relay is down.
  case setClocks
  // Something is recorded.
  case recordings

  /// The disk gives back what was written.
  static let ofDisk: Set<Trouble> = [
    .readErrors, .writeErrors, .openErrors, .syncErrors, .fullDisk, .rot, .stalls,
  ]
}
