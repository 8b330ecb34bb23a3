/// Writes songs: from a key and a style to a page of notes.
///
/// The form is an introduction of pad, bass and arpeggio; phrases of four bars with melody and drums; and a last bar on
/// the tonic. The last bar rings on while the next song begins.
struct Composer: Sendable {
  private let sampleRate: Int
  private let key: Key
  private let style: Style
  private let chords: [Chord]
  private var dice: Dice
  private var notes: [Song.Note] = []

  /// Composes a song.
  static func compose(in key: Key, sampleRate: Int, _ dice: inout Dice) -> Song {
    var composer = Composer(key: key, sampleRate: sampleRate, dice: Dice(seed: dice.next()))
    return composer.song()
  }

  private init(key: Key, sampleRate: Int, dice: Dice) {
    var dice = dice
    let style = Style.invent(&dice)
    self.key = key
    self.style = style
    self.sampleRate = sampleRate
    self.chords = Self.chords(in: key, bars: style.bars, &dice)
    self.dice = dice
  }

  private mutating func song() -> Song {
    writePad()
    writeBass()
    if style.hasArpeggio { writeArpeggio() }
    writeMelody()
    if style.beat != .none { writeDrums() }
    return Song(
      name: SongName.invent(&dice), key: key, style: style,
      notes: notes.sorted { $0.start < $1.start },
      length: samples(Float(style.bars) * style.secondsPerBar))
  }

  private static func chords(in key: Key, bars: Int, _ dice: inout Dice) -> [Chord] {
    let (verse, refrain) = (dice.pick(key.mode.progressions), dice.pick(key.mode.progressions))
    return (0..<bars).map { bar in
      let progression = bar / 4 % 2 == 0 ? verse : refrain
      let degree = bar == bars - 1 ? 0 : progression[bar % 4]
      return Chord(key: key, degree: degree, colour: dice.chance(0.6) ? .ninth : .seventh)
    }
  }

  private var introduction: Int { style.bars > 8 ? 4 : 2 }
  private var lastBar: Int { style.bars - 1 }

  private mutating func writePad() {
    var voices: [Int] = []
    for (bar, chord) in chords.enumerated() {
      voices = chord.voicing(after: voices)
      for pitch in voices {
        write(
          .pad, bar: bar, at: 0, length: Float(style.eighthsPerBar), pitch: pitch, velocity: 0.7)
      }
    }
  }

  private mutating func writeBass() {
    let eighths = style.eighthsPerBar
    // (eighth, length, is the fifth)
    let figures: [[(Int, Float, Bool)]] =
      eighths == 8
      ? [
        [(0, 7, false)], [(0, 3, false), (3, 1, false), (4, 3, true)],
        [(0, 3.5, false), (4, 1.5, false), (6, 1.5, true)],
      ] : [[(0, 5, false)], [(0, 1.8, false), (4, 1.5, true)]]
    let figure = dice.pick(figures)
    for (bar, chord) in chords.enumerated() where bar >= introduction / 2 {
      for (at, length, isFifth) in bar == lastBar ? [(0, Float(eighths), false)] : figure {
        // The fifth of the scale: perfect, or the mode's own.
        let fifth = key.pitch(step: chord.degree + 4) - key.pitch(step: chord.degree)
        write(
          .bass, bar: bar, at: Float(at), length: length,
          pitch: chord.bassPitch + (isFifth ? fifth : 0), velocity: at == 0 ? 0.9 : 0.7)
      }
    }
  }

  private mutating func writeArpeggio() {
    let order = dice.pick([
      [0, 1, 2, 3, 2, 1, 2, 1], [0, 2, 1, 3, 2, 3, 1, 2], [0, 1, 2, 0, 1, 2, 3, 2],
      [3, 2, 1, 0, 1, 2, 3, 2],
    ])
    var voices: [Int] = []
    for (bar, chord) in chords.enumerated() {
      voices = chord.voicing(after: voices)
      for eighth in 0..<(bar == lastBar ? 1 : style.eighthsPerBar) where !dice.chance(0.12) {
        let octave = eighth % 4 == 3 && dice.chance(0.3) ? 24 : 12
        write(
          .arpeggio, bar: bar, at: Float(eighth), length: 1,
          pitch: voices[order[eighth]] + octave, velocity: eighth % 4 == 0 ? 0.75 : 0.5)
      }
    }
  }

  private mutating func writeMelody() {
    let eighths = style.eighthsPerBar
    // The tune's lowest note is about the A above middle C, whatever the tonic; it spans an octave and a third.
    let lowest = key.tonic > 6 ? 0 : 5
    var melody = Melody(eighths: eighths, range: lowest...lowest + 9, &dice)
    for bar in introduction..<lastBar {
      if bar % 4 == 0 && bar > introduction { melody.vary(eighths: eighths, &dice) }
      for tone in melody.bar(bar % 4, over: chords[bar]) {
        write(
          .lead, bar: bar, at: Float(tone.at), length: Float(tone.length) * 0.95,
          pitch: key.pitch(step: tone.step), velocity: tone.at % 4 == 0 ? 0.85 : 0.65)
      }
    }
    write(
      .lead, bar: lastBar, at: 0, length: Float(eighths), pitch: key.pitch(step: 7), velocity: 0.7)
  }

  private mutating func writeDrums() {
    let pattern = Drums.pattern(style.beat, eighths: style.eighthsPerBar)
    for bar in introduction..<lastBar {
      for (drum, at, velocity) in pattern where !(drum == .hat && dice.chance(0.1)) {
        write(
          .drums, bar: bar, at: Float(at), length: 1, pitch: drum.rawValue, velocity: velocity)
      }
    }
  }

  private mutating func write(
    _ part: Song.Part, bar: Int, at eighth: Float, length: Float, pitch: Int, velocity: Float
  ) {
    let late = Int(eighth) % 2 == 1 ? style.swing : 0
    // Players are no clocks: up to 6 ms late, a tenth softer or louder. The pad's attack would hide lateness, so the
    // pad has none.
    let hand = part == .pad ? 0 : dice.between(0, 0.006)
    let eighths = Float(bar * style.eighthsPerBar) + eighth + late
    notes.append(
      Song.Note(
        start: samples(eighths * style.secondsPerEighth + hand),
        length: samples(length * style.secondsPerEighth), part: part, pitch: pitch,
        velocity: min(1, velocity * dice.between(0.9, 1.1))))
  }

  private func samples(_ seconds: Float) -> Int { Int(seconds * Float(sampleRate)) }
}
