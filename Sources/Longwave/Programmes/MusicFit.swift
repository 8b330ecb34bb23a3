import Audio
import Library
import Programmes
import Wire

/// How files come into the format of one programme: as they are, or made anew.
struct MusicFit: Hashable, Sendable {
  /// How a file is played.
  enum Way: Hashable, Sendable {
    case asItIs
    case made(MadeFormat)
    /// In words that follow the file's name.
    case refused(String)
  }

  /// Of the programme's packets.
  let format: AudioFormat
  /// Nil where nothing is made: MP3 alone is.
  let made: MadeFormat?

  /// - Parameters:
  ///   - wish: what the configuration says; nil: nothing.
  ///   - log: the format that the station's log has; nil: none yet.
  ///   - files: what there is to play; by it a format is found where nobody says one.
  /// - Returns: nil while nothing is known that could be played.
  init?(_ wish: Programme.Format?, log: AudioFormat?, of files: some Sequence<MusicFile>) {
    guard let format = wish?.packets ?? log ?? Self.format(ofMost: files) else { return nil }
    self.format = format
    made = MadeFormat(for: format, bitrate: wish?.bitrate)
  }

  /// MP3 as most of it is.
  private static let standard = AudioFormat(codec: .mp3, sampleRate: 44_100, channels: 2)

  /// The format of most seconds of music. What no log can have as it is counts as MP3, of which it is made.
  private static func format(ofMost files: some Sequence<MusicFile>) -> AudioFormat? {
    var (seconds, others, hasOthers): ([AudioFormat: Double], Double, Bool) = ([:], 0, false)
    for file in files {
      if file.coding == .packets {
        seconds[file.format, default: 0] += file.seconds
      } else {
        others += file.seconds
        hasOthers = true
      }
    }
    func most(_ seconds: [AudioFormat: Double]) -> AudioFormat? {
      seconds.max { ($0.value, "\($0.key)") < ($1.value, "\($1.key)") }?.key
    }
    if hasOthers {
      let mp3 = most(seconds.filter { MadeFormat(for: $0.key) != nil })
      seconds[mp3 ?? standard, default: 0] += others
    }
    return most(seconds)
  }

  // MARK: Files

  func way(of file: MusicFile) -> Way {
    if file.coding == .packets, file.format == format { return .asItIs }
    guard let made else { return .refused(Self.otherFormat) }
    if let reason = file.coding.refusal(of: file.format.codec) { return .refused(reason) }
    if file.seconds > TrackConverter.secondsMax {
      return .refused("is longer than 12 hours, and is not made to fit")
    }
    return .made(made)
  }

  /// Why a file is not played; nil of one that is.
  func obstacle(to file: MusicFile) -> String? {
    if case .refused(let reason) = way(of: file) { reason } else { nil }
  }

  /// Why a file is left out whose format is not the programme's, where nothing is made.
  static let otherFormat = "is of another format than most of the music"
}

extension Programme.Format {
  fileprivate var packets: AudioFormat {
    let made: Wire.Codec =
      switch codec {
      case .mp3: .mp3
      case .aac: .aac
      case .opus: .opus
      }
    return AudioFormat(codec: made, sampleRate: sampleRate, channels: isMono ? 1 : 2)
  }
}
