import Audio
import Wire

/// Ten seconds of a station's sound as pictures show it: levels and a spectrum, 25 times a second.
public struct SoundChunk: Hashable, Sendable {
  /// Media seconds that a chunk covers; chunks begin at multiples of it.
  public static let seconds = 10
  public static let columnsPerSecond = 25
  public static let bands = SpectrumMeter.bandsDefault
  static let columns = seconds * columnsPerSecond

  /// Media seconds at which it begins.
  public var media: Int64
  public var channels: Int
  /// For each column: the RMS and the peak of each channel, then the bands; 0 for silence or unknown, else
  /// (dB + 96) / 0.375 of dBFS.
  public var data: [UInt8]
  /// Whether all of it is there: it stays as it is.
  public var isWhole: Bool

  /// A head of 16 bytes, then the columns. The head has `LWSC`, then a byte each of version, columns a second, bands
  /// and channels, then the media time in seconds as a little-endian double.
  public var bytes: [UInt8] {
    var bytes = Array("LWSC".utf8)
    bytes += [1, UInt8(Self.columnsPerSecond), UInt8(Self.bands), UInt8(clamping: channels)]
    let time = Double(media).bitPattern
    for shift in stride(from: 0, to: 64, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: time >> shift))
    }
    return bytes + data
  }

  /// The byte of a level in dBFS.
  static func byte(_ decibels: Double) -> UInt8 {
    decibels.isFinite ? UInt8(min(255, max(0, ((decibels + 96) / 0.375).rounded()))) : 0
  }
}

/// Decoded samples of a stretch of media time, put where they belong.
struct SoundStretch {
  let format: AudioFormat
  let channels: Int
  /// Media time of the first sample, in samples.
  private let begin: Int
  private var samples: [Int16]
  /// Whether a frame of samples was ever put there.
  private var known: [Bool]

  /// - Parameters:
  ///   - from: Media seconds.
  ///   - seconds: Its length.
  init(_ format: AudioFormat, from: Double, seconds: Double) {
    self.format = format
    channels = max(1, format.channels)
    begin = Int(bounded: (from * Double(format.sampleRate)).rounded())
    let frames = Int(bounded: (seconds * Double(format.sampleRate)).rounded(.up))
    samples = Array(repeating: 0, count: frames * channels)
    known = Array(repeating: false, count: frames)
  }

  /// Puts interleaved samples at a media time, in samples; what lies outside of the stretch is left out.
  mutating func put(_ piece: UnsafeBufferPointer<Int16>, at place: Int) {
    let first = place - begin
    for frame in max(0, -first)..<max(0, -first, min(piece.count / channels, known.count - first)) {
      known[first + frame] = true
      for channel in 0..<channels {
        samples[(first + frame) * channels + channel] = piece[frame * channels + channel]
      }
    }
  }

  /// Measures the chunk that begins at a media time.
  func chunk(at media: Int64, isWhole: Bool) throws(AudioError) -> SoundChunk {
    let rate = format.sampleRate
    let spectrum = try SpectrumMeter(sampleRate: rate, bands: SoundChunk.bands)
    var chunk = SoundChunk(media: media, channels: channels, data: [], isWhole: isWhole)
    chunk.data.reserveCapacity(SoundChunk.columns * (2 * channels + SoundChunk.bands))
    var meter = LevelMeter(channels: channels)
    var bands: [Double] = []
    let first = Int(media) * rate - begin
    for column in 0..<SoundChunk.columns {
      let from = first + column * rate / SoundChunk.columnsPerSecond
      let to = first + (column + 1) * rate / SoundChunk.columnsPerSecond
      guard known.indices.contains(from), known.indices.contains(to - 1), known[from], known[to - 1]
      else {
        chunk.data += Array(repeating: 0, count: 2 * channels + SoundChunk.bands)
        continue
      }
      samples[(from * channels)..<(to * channels)].withUnsafeBufferPointer { meter.add($0) }
      for level in meter.pop().channels {
        chunk.data += [SoundChunk.byte(level.rms), SoundChunk.byte(level.peak)]
      }
      // The window's middle is the column's.
      let middle = (from + to) / 2
      let window = max(0, middle - spectrum.size / 2)..<min(known.count, middle + spectrum.size / 2)
      samples[(window.lowerBound * channels)..<(window.upperBound * channels)]
        .withUnsafeBufferPointer { spectrum.add($0, channels: channels) }
      spectrum.read(into: &bands)
      chunk.data += bands.map(SoundChunk.byte)
    }
    return chunk
  }
}
