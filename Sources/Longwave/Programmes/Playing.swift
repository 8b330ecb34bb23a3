import Audio
import Library
import Programmes
import Wire

/// An item that plays.
struct Playing {
  /// What it is made of.
  enum What {
    case file(ItemReader)
    case station(StationTake)
  }

  /// How it follows the item before it, and how much louder it is made.
  struct Entry {
    var join = Join.cut
    /// Steps of `MPEGGain`.
    var steps = 0
    /// Why it is a cut, where a join was wanted.
    var refusal: String?
    /// Whole frames of a seam that go out before the file's own.
    var frames: ArraySlice<UInt8> = []
    /// Number of the file's sample with which it begins.
    var sample: UInt64 = 0
    /// Number of the file's sample with which its own frames begin; nil where there is no seam.
    var seamEnd: UInt64?

    /// Decibels by which it is made louder; nil: it stays as it is.
    var gain: Double? { steps == 0 ? nil : Double(steps) * MPEGGain.stepDecibels }
  }

  /// The end of an item that the next one follows by a seam.
  struct Exit {
    var next: Planned
    var wish: Joins.Wish
    var seam: Seam
    /// Whole frames that still go out before the next item begins.
    var frames: ArraySlice<UInt8>
  }

  var item: UInt64
  var planned: Planned?
  var what: What
  /// When its first packet was fed, in milliseconds since 1970.
  var began: Int64
  /// When something cuts it, in milliseconds since 1970; nil: it is played to its end.
  var until: Int64?
  /// From when on it may be cut, where that is before it began: the relay was away, or the clock was put forward.
  var cutsFrom: Int64?
  /// Bytes of its file that are fed at a time.
  var pieceBytes = ProgrammeFeed.pieceBytes.lowerBound
  /// Bytes of its file since the last packet.
  var barren = 0
  var entry = Entry()
  /// Set once the place is reached at which the next item's seam begins.
  var exit: Exit?
  /// Whether it plays on until what cuts it is made to fit.
  var isHeld = false
  /// When a command wants it to be left, in milliseconds since 1970: until then a seam is waited for.
  var leaves: (number: Int, by: Int64)?

  /// nil: another station.
  var file: MusicFile? { if case .file(let reader) = what { reader.file } else { nil } }

  /// When it is over by itself, in milliseconds since 1970; nil: not known.
  var end: Int64? {
    let length = planned?.length ?? seconds.map { Int64(bounded: $0 * 1000) }
    return length.map(began.saturatingAdd)
  }

  /// Moves all its moments, since the clock was set or stood still for it.
  mutating func move(by milliseconds: Int64) {
    began = began.saturatingAdd(milliseconds)
    cutsFrom = cutsFrom?.saturatingAdd(milliseconds)
    if let leaves { self.leaves = (leaves.number, leaves.by.saturatingAdd(milliseconds)) }
  }

  /// Seconds of the item; nil: not known.
  var seconds: Double? { file.flatMap { $0.heardSeconds > 0 ? $0.heardSeconds : nil } }
}

extension PlayRules {
  /// The most seconds of a join that nobody could foresee: at a command, or where something cuts.
  static let haste = 0.5

  /// How one file follows another by these rules; nil: by a cut.
  ///
  /// - Parameters:
  ///   - isInsert: whether what follows is laid over the song's end.
  ///   - isCut: whether the first is left before its end.
  ///   - seconds: how long both last.
  func join(
    in format: AudioFormat, isInsert: Bool, isCut: Bool, seconds: (from: Double, to: Double)
  ) -> SeamMaker.Join? {
    guard format.codec == .mp3 else { return nil }
    switch join ?? .gapless {
    case .cut: return nil
    case .gapless: return isCut ? .blend(Self.haste) : .gapless
    case .fade:
      if isCut { return .blend(Self.haste) }
      let overlap = min(overlap(of: seconds.from), overlap(of: seconds.to))
      if overlap < Self.fades.lowerBound { return .gapless }
      return isInsert ? .over(overlap) : .fade(overlap)
    }
  }
}

extension SeamMaker.Join {
  /// The word that people know it by.
  var word: Join {
    switch self {
    case .gapless: .gapless
    case .fade, .blend, .over: .fade
    }
  }
}
