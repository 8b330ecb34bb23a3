import Glibc
import Wire

/// How much louder a file is made.
enum ItemGain {
  /// Returns steps of `MPEGGain` by what is known of a file; 0 where nothing is.
  ///
  /// - Parameters:
  ///   - target: LUFS.
  ///   - isOfAlbum: whether it is to stay as loud beside its album's other tracks as it is.
  static func steps(_ levels: TrackGain, to target: Double, isOfAlbum: Bool) -> Int {
    let album = isOfAlbum ? levels.album : nil
    guard let gain = album ?? levels.track ?? levels.album else { return 0 }
    let peak = album == nil ? levels.trackPeak ?? levels.albumPeak : levels.albumPeak
    // Of silence nothing is known that could be made louder.
    let decibels = peak.flatMap { $0 > 0 ? 20 * log10($0) : nil }
    return MPEGGain.steps(from: reference - gain, to: target, truePeak: decibels)
  }

  /// LUFS to which ReplayGain's gains lead (ReplayGain 2.0 specification).
  private static let reference = -18.0
}
