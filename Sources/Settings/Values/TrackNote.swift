import Wire

/// What people have said of a track of the library.
package struct TrackNote: Hashable, Sendable {
  /// Whether no programme plays it.
  package var isExcluded = false
  /// dB that bring it to -18 LUFS, in place of what tags and measures say; see `TrackGain.gains`.
  package var gain: Double?
  /// Seconds of its sound at which it begins and ends where programmes play it; nil: at its own.
  package var cueIn: Double?
  package var cueOut: Double?

  package init(
    isExcluded: Bool = false, gain: Double? = nil, cueIn: Double? = nil, cueOut: Double? = nil
  ) {
    (self.isExcluded, self.gain) = (isExcluded, gain)
    (self.cueIn, self.cueOut) = (cueIn, cueOut)
  }

  /// What programmes play of it; nil: all.
  package var cue: TrackCue? { TrackCue(from: cueIn, to: cueOut) }

  /// What is to be different; nil: as it is.
  package struct Change: Hashable, Sendable {
    package var isExcluded: Bool?
    package var gain: Double??
    package var cueIn: Double??
    package var cueOut: Double??

    package init() {}
  }

  package func changed(by change: Change) -> TrackNote {
    TrackNote(
      isExcluded: change.isExcluded ?? isExcluded, gain: change.gain ?? gain,
      cueIn: change.cueIn ?? cueIn, cueOut: change.cueOut ?? cueOut)
  }
}
