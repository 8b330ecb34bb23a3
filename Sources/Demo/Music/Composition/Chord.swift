/// A stack of thirds on a degree of the key.
struct Chord: Hashable, Sendable {
  enum Colour: Sendable { case seventh, ninth }

  var key: Key
  /// The degree of the root, 0 ... 6.
  var degree: Int
  var colour: Colour

  /// The notes as steps of the scale, from the root.
  var steps: [Int] {
    switch colour {
    case .seventh: [degree, degree + 2, degree + 4, degree + 6]
    case .ninth: [degree, degree + 2, degree + 4, degree + 8]
    }
  }

  /// The bass's note of the chord, the root: F1 (29) or up to eleven semitones above.
  var bassPitch: Int {
    let pitch = key.pitch(step: degree)
    return 29 + (((pitch - 29) % 12) + 12) % 12
  }

  /// Four notes whose lowest lies between E3 (52) and E4 (64), all within an octave.
  ///
  /// The notes lie nearest to the notes of the chord before, so that each voice moves as little as it can.
  func voicing(after before: [Int]) -> [Int] {
    let classes = steps.map { key.pitch(step: $0) % 12 }
    let voicings = (52...64).compactMap { lowest -> [Int]? in
      guard classes.contains(lowest % 12) else { return nil }
      return classes.map { lowest + (($0 - lowest) % 12 + 12) % 12 }.sorted()
    }
    // Thirteen neighbouring notes include every pitch class, so there is a voicing.
    return voicings.min { movement(of: $0, from: before) < movement(of: $1, from: before) }!
  }

  private func movement(of voicing: [Int], from before: [Int]) -> Int {
    // Half the distance from the middle of the register is added, so that the voices do not wander off.
    let drift = abs(voicing.reduce(0, +) / 4 - 62)
    guard before.count == voicing.count else { return drift }
    return zip(voicing, before).reduce(drift / 2) { $0 + abs($1.0 - $1.1) }
  }
}
