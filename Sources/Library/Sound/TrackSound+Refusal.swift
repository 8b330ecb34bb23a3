import Audio
import Media
import Timeshift
import Wire

extension TrackSound {
  /// Why a file cannot be decoded on this machine; nil where it can, as far as its head says. What a log may have as it is
  /// needs no decoder, and is not refused. Blocks.
  static func refusal(
    of file: MediaFile, _ layout: MediaLayout, _ summary: MediaSummary
  ) throws(StorageError) -> TrackSoundError? {
    guard let coding = MusicCoding(layout, summary) else {
      let kind = (0..<4).map { UInt8(truncatingIfNeeded: summary.entry >> (24 - 8 * $0)) }
      let name = LogText.line(String(decoding: kind, as: UTF8.self))
      return TrackSoundError("has audio of the kind \(name) in MP4, which cannot be decoded")
    }
    if coding != .packets, !SampleFormat.rates.contains(summary.sampleRate) {
      return TrackSoundError(
        "has \(summary.sampleRate) samples a second, and 8000 to 192000 can be decoded")
    }
    switch coding {
    case .packets, .free: return nil
    case .flac: return missing(coding.refusal(of: .flac))
    case .pcm:
      do throws(PCMReader.Failure) {
        _ = try reader(layout)
        return nil
      } catch {
        return TrackSoundError("cannot be decoded: \(error.reason)")
      }
    case .aac, .alac:
      guard let samples = try file.samples() else {
        return TrackSoundError(
          "is an MP4 file whose packets are not listed, which cannot be decoded")
      }
      guard samples.isCredible else { return tooMany(samples) }
      guard samples.setup.setup != nil else {
        return TrackSoundError("is an MP4 file without the setup of its codec")
      }
      return missing(coding.refusal(of: .aac))
    }
  }

  static func tooMany(_ samples: MediaSamples) -> TrackSoundError {
    TrackSoundError("is an MP4 file that counts \(samples.count) packets, more than it can have")
  }

  /// A decoder that is missing may be there another time.
  private static func missing(_ reason: String?) -> TrackSoundError? {
    reason.map { TrackSoundError($0, isOfFile: false) }
  }
}
