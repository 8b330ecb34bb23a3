import Audio
import Wire

/// The measures at a place of a station's sound; times are media seconds.
struct SoundReading {
  struct Stretch {
    var media: Double
    var levels: Levels
  }

  /// Levels of the newest twentieth of a second.
  var levels: Stretch?
  /// Levels of the bands around a moment, in dBFS.
  var spectrum: (media: Double, bands: [Double])?
  /// Columns as pictures show them, one after the other, from `columnsMedia` on.
  var columns: [UInt8] = []
  var columnsMedia: Double?
  var changes: [SilenceWatch.Change] = []
  var crossings: [LoudnessWatch.Change] = []
  /// Seconds that were measured as a whole.
  var seconds: [SecondLevels.Second] = []
  /// Samples found clipped, by channel.
  var clipped: [Int] = []
  /// Whether anything else was measured since the last look.
  var hasSound = false
}

/// Measures of one stream of samples. Each sample has its media time, whatever is missing in between.
struct SoundMeasures {
  let sampleRate: Int
  let channels: Int
  var wish: SoundWish {
    // Loudness is that of what was heard since somebody watches.
    didSet { if !needsLoudness(oldValue), needsLoudness(wish) { renewMeter() } }
  }
  /// The bands' middles in Hz.
  var frequencies: [Double] { spectrum.frequencies }
  private(set) var reading = SoundReading()

  private var levels: LevelMeter
  private var columns: LevelMeter
  private let spectrum: SpectrumMeter
  private let pictures: SpectrumMeter
  private var fall = SpectrumFall()
  private var meter: LoudnessMeter
  private var clipping: ClippingWatch?
  private(set) var silence: SilenceWatch?
  private(set) var bounds: LoudnessWatch?
  private var second = SecondLevels()
  /// Place of the next sample, in samples of media time.
  private var next: Int?
  private var bands: [Double] = []

  /// Samples by which some may stand elsewhere than behind those before, as where rates were made one.
  private static let slack = 2

  /// - Parameters:
  ///   - sampleRate: 8,000 to 192,000 a second.
  ///   - channels: 1 or 2.
  init(
    sampleRate: Int, channels: Int, wish: SoundWish, clipping: ClippingWatch? = nil,
    silence: SilenceWatch? = nil, bounds: LoudnessWatch? = nil
  ) throws(AudioError) {
    (self.sampleRate, self.channels, self.wish) = (sampleRate, channels, wish)
    levels = LevelMeter(channels: channels)
    columns = levels
    spectrum = try SpectrumMeter(sampleRate: sampleRate)
    pictures = try SpectrumMeter(sampleRate: sampleRate)
    meter = try LoudnessMeter(sampleRate: sampleRate, channels: channels)
    (self.clipping, self.silence, self.bounds) = (clipping, silence, bounds)
  }

  /// Loudness of what was heard so far.
  var loudness: Loudness { meter.loudness }
  /// Samples found clipped so far, by channel.
  var clipped: [Int] { clipping?.clipped ?? [] }
  /// Media seconds at which dead air began; nil while there is none.
  var silentSince: Double? { silence?.silentSince }

  /// Returns what was measured since the last call.
  mutating func pop() -> SoundReading {
    defer { reading = SoundReading() }
    return reading
  }

  /// Adds interleaved samples.
  ///
  /// - Parameter place: of the first, in samples of media time.
  mutating func add(_ samples: UnsafeBufferPointer<Int16>, at place: Int) {
    var place = place
    if let next, abs(place - next) <= Self.slack { place = next } else { begin() }
    let count = samples.count / channels
    next = place + count
    reading.hasSound = true
    if needsLoudness(wish) { meter.add(samples) }
    if let found = clipping?.add(samples), found.contains(where: { $0 > 0 }) {
      reading.clipped =
        reading.clipped.isEmpty ? found : zip(reading.clipped, found).map { $0 + $1 }
    }
    var from = 0
    while from < count {
      let to = min(count, boundary(after: place + from) - place)
      let piece = UnsafeBufferPointer(rebasing: samples[(from * channels)..<(to * channels)])
      levels.add(piece)
      if wish.contains(.spectrum) { spectrum.add(piece, channels: channels) }
      if wish.contains(.sound) {
        columns.add(piece)
        pictures.add(piece, channels: channels)
      }
      from = to
      finish(at: place + from)
    }
  }

  private func needsLoudness(_ wish: SoundWish) -> Bool {
    !wish.isDisjoint(with: [.levels, .always]) || bounds != nil
  }

  private mutating func renewMeter() {
    if let new = try? LoudnessMeter(sampleRate: sampleRate, channels: channels) { meter = new }
  }

  /// Forgets what was begun: the samples that follow are not those after the last.
  private mutating func begin() {
    _ = levels.pop()
    _ = columns.pop()
    second.begin()
  }

  // MARK: Where stretches end

  /// The end of the stretch of any kind that a sample is in.
  private func boundary(after place: Int) -> Int {
    min(
      end(after: place, of: SoundWish.levelsPerSecond),
      min(
        end(after: place, of: SoundChunk.columnsPerSecond),
        end(after: place, of: SoundWish.spectraPerSecond)))
  }

  private func end(after place: Int, of rate: Int) -> Int {
    let next = place * rate / sampleRate + 1
    return (next * sampleRate + rate - 1) / rate
  }

  private func isEnd(_ place: Int, of rate: Int) -> Bool {
    place * rate / sampleRate != (place - 1) * rate / sampleRate
  }

  private mutating func finish(at place: Int) {
    if isEnd(place, of: SoundWish.levelsPerSecond) { finishLevels(at: place) }
    if wish.contains(.spectrum), isEnd(place, of: SoundWish.spectraPerSecond) {
      spectrum.read(into: &bands)
      fall.follow(bands, after: 1 / Double(SoundWish.spectraPerSecond))
      reading.spectrum = (media(place - spectrum.size / 2), fall.levels)
    }
    if wish.contains(.sound), isEnd(place, of: SoundChunk.columnsPerSecond) {
      finishColumn(at: place)
    }
  }

  private mutating func finishLevels(at place: Int) {
    let frames = levels.frames
    guard frames > 0 else { return }
    let begin = media(place - frames)
    let measured = levels.pop()
    reading.levels = .init(media: begin, levels: measured)
    let rms = measured.channels.map(\.rms).max() ?? Decibels.floor
    let seconds = Double(frames) / Double(sampleRate)
    if let change = silence?.add(rms: rms, at: begin, for: seconds) {
      reading.changes.append(change)
    }
    let second = second.add(measured, frames: frames, endingAt: place, sampleRate: sampleRate)
    if let second { finishSecond(second) }
  }

  private mutating func finishSecond(_ second: SecondLevels.Second) {
    reading.seconds.append(second)
    guard let shortTerm = bounds == nil ? nil : meter.shortTerm else { return }
    let isSilent = second.loudest < silence?.below ?? LoudnessWatch.silence
    let change = bounds?.add(
      shortTerm, at: Double(second.number), for: 1, isSilent: isSilent)
    if let change { reading.crossings.append(change) }
  }

  private mutating func finishColumn(at place: Int) {
    // A column that began in the middle is none.
    let isWhole = columns.frames >= sampleRate / SoundChunk.columnsPerSecond
    let measured = columns.pop()
    guard isWhole else {
      (reading.columns, reading.columnsMedia) = ([], nil)
      return
    }
    if reading.columnsMedia == nil {
      let column = (place * SoundChunk.columnsPerSecond) / sampleRate - 1
      reading.columnsMedia = Double(column) / Double(SoundChunk.columnsPerSecond)
    }
    pictures.read(into: &bands)
    for level in measured.channels {
      reading.columns += [SoundChunk.byte(level.rms), SoundChunk.byte(level.peak)]
    }
    reading.columns += bands.map(SoundChunk.byte)
  }

  private func media(_ place: Int) -> Double { Double(place) / Double(sampleRate) }
}
