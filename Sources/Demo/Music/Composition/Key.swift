/// A tonic and its mode, and the notes that belong to them.
struct Key: Hashable, Sendable {
  enum Mode: CaseIterable, Sendable {
    case ionian, dorian, lydian, mixolydian, aeolian

    /// Semitones of the seven degrees above the tonic.
    var steps: [Int] {
      switch self {
      case .ionian: [0, 2, 4, 5, 7, 9, 11]
      case .dorian: [0, 2, 3, 5, 7, 9, 10]
      case .lydian: [0, 2, 4, 6, 7, 9, 11]
      case .mixolydian: [0, 2, 4, 5, 7, 9, 10]
      case .aeolian: [0, 2, 3, 5, 7, 8, 10]
      }
    }

    /// Progressions of four chords, one a bar, as degrees (0 is the tonic). Each leads back to its beginning.
    var progressions: [[Int]] {
      switch self {
      case .ionian: [[0, 4, 5, 3], [0, 5, 3, 4], [0, 2, 3, 4], [0, 3, 1, 4], [5, 3, 0, 4]]
      case .dorian: [[0, 3, 0, 6], [0, 6, 3, 0], [0, 2, 3, 6], [0, 1, 2, 3]]
      case .lydian: [[0, 1, 0, 4], [0, 1, 5, 4], [0, 4, 1, 5], [0, 6, 5, 1]]
      case .mixolydian: [[0, 6, 3, 0], [0, 3, 6, 3], [0, 4, 6, 3], [0, 1, 3, 6]]
      case .aeolian: [[0, 5, 2, 6], [0, 3, 5, 6], [0, 6, 5, 6], [0, 2, 5, 3]]
      }
    }
  }

  /// 0 is C, 11 is B.
  var tonic: Int
  var mode: Mode

  /// The MIDI number of a step of the scale. Step 0 is the tonic in the octave of middle C (60), step 7 an octave
  /// higher.
  func pitch(step: Int) -> Int {
    let octave = step >= 0 ? step / 7 : (step - 6) / 7
    return 60 + tonic + 12 * octave + mode.steps[step - 7 * octave]
  }

  func contains(pitch: Int) -> Bool {
    mode.steps.contains(((pitch - tonic) % 12 + 12) % 12)
  }

  /// The seven pitch classes.
  private var notes: Set<Int> { Set(mode.steps.map { ($0 + tonic) % 12 }) }

  /// Picks a key that can follow this one: another tonic, and at least five of the seven notes shared.
  ///
  /// The end of one track and the beginning of the next then agree while they sound together.
  func neighbour(_ dice: inout Dice) -> Key {
    var near: [Key] = []
    for tonic in 0..<12 {
      for mode in Mode.allCases {
        let key = Key(tonic: tonic, mode: mode)
        if key.tonic != self.tonic, key.notes.intersection(notes).count >= 5 { near.append(key) }
      }
    }
    return dice.pick(near)
  }
}
