/// Invents the tune in four-bar phrases made of two rhythms and one motif that returns.
///
/// A phrase ends on a long note and a rest. Notes on strong beats belong to the chord; other notes move by step.
struct Melody: Sendable {
  /// A note within a bar: its place and length in eighths, and its step of the scale.
  struct Tone: Hashable, Sendable {
    var at: Int
    var length: Int
    var step: Int
  }

  private var first: [Int]
  private var second: [Int]
  private var cadence: [Int]
  /// The motif: by how many steps each note differs from the one before.
  private var contour: [Int]
  private var step: Int
  private let range: ClosedRange<Int>

  /// - Parameters:
  ///   - eighths: a bar's length: 8 in four-four, 6 in three-four.
  ///   - range: the lowest and the highest step of the tune, more than an octave apart.
  init(eighths: Int, range: ClosedRange<Int>, _ dice: inout Dice) {
    let rhythms = eighths == 8 ? Self.inFour : Self.inThree
    first = dice.pick(rhythms)
    second = dice.pick(rhythms)
    cadence = dice.pick(
      eighths == 8 ? [[4, -4], [6, -2], [3, 3, -2]] : [[4, -2], [3, -3], [5, -1]])
    contour = (0..<8).map { _ in dice.pick([-2, -1, -1, 1, 1, 2, 3, -3]) }
    step = (range.lowerBound + range.upperBound) / 2
    self.range = range
  }

  /// Makes the next phrase answer the last: one rhythm and part of the motif are new.
  mutating func vary(eighths: Int, _ dice: inout Dice) {
    second = dice.pick(eighths == 8 ? Self.inFour : Self.inThree)
    for index in 4..<8 { contour[index] = dice.pick([-2, -1, 1, 2]) }
  }

  /// Returns the tune of one bar over its chord.
  ///
  /// - Parameter bar: the bar's place in the phrase, 0 ... 3.
  mutating func bar(_ bar: Int, over chord: Chord) -> [Tone] {
    let rhythm = bar == 3 ? cadence : bar == 1 ? second : first
    var tones: [Tone] = []
    var at = 0
    for (index, length) in rhythm.enumerated() {
      if length > 0 {
        let isStrong = at % 4 == 0 || length >= 3
        move(by: contour[index], to: isStrong ? chord : nil)
        tones.append(Tone(at: at, length: length, step: step))
      }
      at += abs(length)
    }
    return tones
  }

  private mutating func move(by distance: Int, to chord: Chord?) {
    var goal = step + distance
    if !range.contains(goal) { goal = step - distance }
    if let chord {
      goal = Self.nearest(to: goal, of: chord)
    } else if abs(goal - step) > 1 {
      // A note on a weak beat moves by one step.
      goal = step + (goal > step ? 1 : -1)
    }
    while goal > range.upperBound { goal -= 7 }
    while goal < range.lowerBound { goal += 7 }
    step = goal
  }

  private static func nearest(to step: Int, of chord: Chord) -> Int {
    let degrees = Set(chord.steps.map { $0 % 7 })
    func belongs(_ step: Int) -> Bool { degrees.contains((step % 7 + 7) % 7) }
    // Chord tones are at most two steps apart.
    return [0, -1, 1, -2, 2].map { step + $0 }.first(where: belongs) ?? step
  }

  // Lengths in eighths; a negative length is a rest.
  private static let inFour = [
    [2, 2, 2, -2], [3, 1, 4], [3, 3, 2], [-2, 2, 2, 2], [1, 1, 2, 4], [2, 1, 1, 2, -2], [4, 2, 2],
    [-4, 2, 1, 1], [2, -1, 1, 2, 2], [1, 1, 1, 1, 4], [6, -2],
  ]
  private static let inThree = [
    [2, 2, 2], [3, 1, 2], [4, 2], [-2, 2, 2], [2, 1, 1, 2], [3, 3], [1, 1, 2, -2], [1, 1, 1, 1, 2],
  ]
}
