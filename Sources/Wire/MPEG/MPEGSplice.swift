/// Joins two pieces of MP3, A and B, by a few frames that are encoded anew: a seam. All other frames stay as they are.
///
/// The seam begins on A's grid of frames, so B stands up to half a frame away from its true place; B's part of the seam
/// is stretched by that much. It is encoded without a bit reservoir. The first frame of B that follows it borrows bytes
/// from the frames before. So the seam's frames are moved together, the last one is made larger if that is not enough,
/// and its end carries those bytes.
///
/// ```
/// A  | 0 ... kept - 1 | kept ... end, not heard from its last sample on
/// seam                | count frames                                     |
/// B                     0, not heard up to its first sample ... resumed - 1 | resumed ...
/// ```
///
/// A decoder goes from one window to the next in the middle of both. So windows are long on both sides of each border:
/// a short one beside a long one clicks. Times are samples of a channel. Source: ISO/IEC 11172-3 §2.4.3.4.
public struct MPEGSplice: Hashable, Sendable {
  /// How B begins.
  public enum Start: Hashable, Sendable {
    /// Behind A's last sample, and B's part is stretched to fit the grid.
    case exact
    /// So many samples before A's end, give or take half a frame: nothing is stretched.
    case before(Int)
  }

  /// A piece of a file.
  public struct Piece: Sendable {
    /// Whole frames, of A's end or of B's beginning.
    public var frames: [[UInt8]]
    /// Samples at the outer side that are not heard: behind A's last, or before B's first.
    public var trim: Int

    public init(frames: [[UInt8]], trim: Int) { (self.frames, self.trim) = (frames, trim) }
  }

  /// Frames of A, from its first, that go out as they are.
  public let kept: Int
  /// The first frame of B that goes out as it is.
  public let resumed: Int
  /// Frames of the seam.
  public let count: Int
  /// Where A's last heard sample ends, from the seam's beginning.
  public let end: Int
  /// Where B's first heard sample is, from the seam's beginning.
  public let start: Int
  /// Samples by which B's part is longer than it was, or shorter.
  public let shift: Int
  /// kbit/s, at most what was asked for, at which the last frame can be made large enough whatever the sound.
  public let sureBitrate: Int
  /// Samples of a frame.
  public let frameSamples: Int

  /// What the first frame of B behind the seam borrows.
  let reservoir: [UInt8]

  /// Frames of A that are enough for a seam that begins `overlap` seconds before its end.
  public static func framesOfA(overlap: Double, sampleRate: Int) -> Int {
    max(
      frames(lasting: overlap, sampleRate) + searchMax + warmUp,
      frames(lasting: Double(secondsMin), sampleRate)) + 8
  }

  /// Frames of B that are enough for a seam of which `overlap` seconds are B's too.
  public static func framesOfB(overlap: Double, sampleRate: Int) -> Int {
    max(frames(lasting: overlap, sampleRate), stretchShare / 2) + searchMax + lookAhead + 8
  }

  /// Frames before the first one whose samples are used: a decoder that begins there has all that it borrows.
  public static let warmUp = 12
  /// Frames that are looked at for a place to leave A or to enter B.
  public static let searchMax = 60
  /// Frames behind the seam that an encoder needs to see.
  public static let lookAhead = 6
  /// Samples before a change of the sound from which on frames of A hear it: a window's half, and the filter bank's.
  public static let reach = 576 + 481
  /// Samples that are stretched to one sample more or less, at least: 0.35 %, six cents.
  static let stretchShare = 286
  /// Samples that are stretched at least, where B is short: 1 %.
  static let stretchShareMin = 100
  /// Seconds of sound that a piece must have.
  static let secondsMin = 2

  private static func frames(lasting seconds: Double, _ sampleRate: Int) -> Int {
    let samples = sampleRate >= 32_000 ? 1152 : 576
    let rate = min(48_000, max(8_000, sampleRate))
    return Int(bounded: seconds * Double(rate), in: 0...(60 * 48_000)) / samples
  }
}

extension MPEGSplice {
  /// Why no seam is made. The pieces are cut instead.
  public enum Refusal: Error, Hashable, Sendable, CustomStringConvertible {
    case notOneFormat
    case tooShort(Side)
    case noPlace(Side)
    case noRoom

    public enum Side: Hashable, Sendable { case before, behind }

    public var description: String {
      switch self {
      case .notOneFormat: "The two are not MP3 of one version, sample rate and number of channels."
      case .tooShort(.before): "What ends is too short for this join, which needs 2 s: cut."
      case .tooShort(.behind): "What begins is too short for this join, which needs 2 s: cut."
      case .noPlace(.before): "No frame of the last 60 can be left without a click: cut."
      case .noPlace(.behind): "No frame of the next 60 can be entered without a click: cut."
      case .noRoom: "What the next frame borrows does not fit into the seam: cut."
      }
    }
  }
}
