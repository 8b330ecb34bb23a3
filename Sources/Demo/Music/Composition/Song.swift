/// A written track: its name, its key, its pace, and every note.
struct Song: Sendable {
  enum Part: Int, CaseIterable, Sendable {
    case pad, lead, arpeggio, bass, drums
  }

  /// One note. A drum's pitch is the number of the instrument: see `Drums`.
  struct Note: Sendable {
    /// The sample at which the note begins, counted from the song's beginning.
    var start: Int
    /// The length in samples.
    var length: Int
    var part: Part
    /// The MIDI number.
    var pitch: Int
    /// The loudness, 0 ... 1.
    var velocity: Float
  }

  var name: String
  var key: Key
  var style: Style
  /// The notes, sorted by start.
  var notes: [Note]
  /// The length in samples; there the next song begins. Later sound fades away under that song.
  var length: Int
}

/// How a song is played.
struct Style: Sendable {
  enum Lead: CaseIterable, Sendable { case strings, bell, reed }
  enum Beat: CaseIterable, Sendable { case none, soft, steady, broken }

  var beatsPerMinute: Float
  var beatsPerBar: Int
  var bars: Int
  var lead: Lead
  var beat: Beat
  var hasArpeggio: Bool
  /// The delay of every second eighth, as a part of an eighth.
  var swing: Float
  /// The pad's brightness: the filter's corner in Hz.
  var padCutoff: Float
  /// The pad's waveform: 0 is triangles, 1 is saws.
  var padEdge: Float

  var eighthsPerBar: Int { 2 * beatsPerBar }
  var secondsPerEighth: Float { 30 / beatsPerMinute }
  var secondsPerBar: Float { Float(eighthsPerBar) * secondsPerEighth }

  /// Invents a style whose song takes 25 to 40 s.
  static func invent(_ dice: inout Dice) -> Style {
    let isWaltz = dice.chance(0.25)
    let tempo: Float = isWaltz ? dice.between(88, 116) : dice.between(68, 100)
    let bar = Float(isWaltz ? 180 : 240) / tempo
    let beat: Beat = isWaltz ? dice.pick([.none, .soft]) : dice.pick(Beat.allCases)
    return Style(
      beatsPerMinute: tempo, beatsPerBar: isWaltz ? 3 : 4,
      // The song has whole phrases of four bars.
      bars: 4 * max(2, Int((32 / bar / 4).rounded())),
      lead: dice.pick(Lead.allCases), beat: beat,
      hasArpeggio: beat == .none || dice.chance(0.6),
      swing: dice.pick([0, 0, 0.12, 0.25]),
      padCutoff: dice.between(1100, 3000), padEdge: dice.between(0.2, 1))
  }
}
