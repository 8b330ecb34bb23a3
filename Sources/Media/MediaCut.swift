import Timeshift
import Wire

/// A part of a file of frames, between two moments of its sound: the packets that are played, and what is heard of them.
///
/// The first packet is the one with the first moment in it, and the last stands before the one with the other moment. So
/// two parts of a file with a moment between them have each packet once.
public struct MediaCut: Hashable, Sendable {
  /// A packet with a moment in it.
  public struct Edge: Hashable, Sendable {
    /// Its bytes in the file.
    public var packet: Range<UInt64>
    /// Its samples before the moment, and all.
    public var into: Int
    public var samples: Int
  }

  /// nil: the part begins with the file.
  public var first: Edge?
  /// The packet that is played no more; nil: the part ends with the file.
  public var last: Edge?
  /// Made-up frames that carry what the first packet borrows from those before it; usually none or one.
  public var leadIn: [UInt8] = []
  /// Where the frames before the first packet begin that a decoder hears before it, and how many samples those have.
  public var warmUp: (from: UInt64, samples: Int)? {
    first.map { (warmUpStart ?? $0.packet.lowerBound, warmUpSamples) }
  }
  fileprivate var warmUpStart: UInt64?
  fileprivate var warmUpSamples = 0
}

/// Looks for a part of a file of frames, a piece of the file at a time: a long file on a slow disk takes long.
public struct MediaCutSearch: Sendable {
  private struct Frame {
    var range: Range<UInt64>
    var samples: Int
  }

  /// Bytes that are read at a time.
  private static let pieceBytes = 1 << 20

  private let file: MediaFile
  /// Numbers of the file's decoded samples; nil: its own beginning, or end.
  private let (begin, end): (Int, Int)
  private let hasBegin: Bool
  private let hasEnd: Bool
  private let audio: Range<UInt64>
  private var scanner = PacketScanner()
  private var place: UInt64
  /// Samples before the next packet.
  private var samples = 0
  /// The last frames before the part.
  private var recent: [Frame] = []
  private var found = MediaCut()

  /// - Returns: nil of a file that is none of frames. Blocks.
  public init?(_ file: MediaFile, _ cue: TrackCue) throws(StorageError) {
    guard let layout = try file.layout(), layout.container == .frames,
      let audio = layout.pieces.first, let summary = try file.summary(layout),
      audio.contains(summary.start)
    else { return nil }
    self.file = file
    self.audio = summary.start..<audio.upperBound
    place = summary.start
    // Times are those of the sound, without what the encoder added.
    let gap = summary.codec == .mp3 ? summary.gap : nil
    let added = gap.map { max(0, $0.delay).saturatingAdd(MPEGInfo.decoderDelay) } ?? 0
    func sample(at seconds: Double) -> Int {
      Int(bounded: (seconds * Double(summary.sampleRate)).rounded()).saturatingAdd(added)
    }
    (hasBegin, hasEnd) = (cue.start > 0, cue.end != nil)
    (begin, end) = (sample(at: cue.start), sample(at: cue.end ?? 0))
  }

  /// Reads on; true once all of the part is found that is there. Blocks.
  public mutating func step() throws(StorageError) -> Bool {
    let left = audio.upperBound.saturatingSubtract(place)
    let bytes = try file.piece(at: place, count: Int(min(left, UInt64(Self.pieceBytes))))
    let isLast = UInt64(bytes.count) >= left || bytes.isEmpty
    var at = 0
    while let finding = scanner.next(in: bytes.span, from: at, atEnd: isLast) {
      at = finding.range.upperBound
      guard case .packet(let packet) = finding else { continue }
      if try add(Frame(range: finding.range.moved(by: place), samples: packet.samples)) {
        return true
      }
    }
    place += UInt64(at)
    return isLast || at == 0
  }

  /// The part; nil where the file has nothing of it.
  public var cut: MediaCut? {
    if hasBegin, found.first == nil { return nil }
    let begin = found.first?.packet.lowerBound ?? audio.lowerBound
    if let last = found.last, last.packet.lowerBound <= begin { return nil }
    return found
  }

  /// Counts a frame; true: it is the last one that is looked for.
  private mutating func add(_ frame: Frame) throws(StorageError) -> Bool {
    let next = samples.saturatingAdd(max(0, frame.samples))
    defer { samples = next }
    if hasBegin, found.first == nil {
      if begin < next {
        try enter(frame)
      } else {
        if recent.count == MPEGLeadIn.precedingMax { recent.removeFirst() }
        recent.append(frame)
      }
    }
    if hasEnd, end < next {
      found.last = .init(packet: frame.range, into: max(0, end - samples), samples: frame.samples)
      return true
    }
    return !hasEnd && found.first != nil
  }

  private mutating func enter(_ frame: Frame) throws(StorageError) {
    found.first = .init(
      packet: frame.range, into: max(0, begin - samples), samples: frame.samples)
    let warm = recent.suffix(MPEGSplice.warmUp)
    found.warmUpStart = warm.first?.range.lowerBound
    found.warmUpSamples = warm.reduce(0) { $0 + $1.samples }
    var preceding: [[UInt8]] = []
    for frame in recent {
      preceding.append(try file.piece(at: frame.range.lowerBound, count: frame.range.count))
    }
    let target = try file.piece(at: frame.range.lowerBound, count: frame.range.count)
    found.leadIn = MPEGLeadIn.frames(for: target.span, preceding: preceding) ?? []
  }
}
