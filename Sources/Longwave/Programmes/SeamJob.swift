import Audio
import Library
import Media
import Programmes
import Threads
import Wire

/// What goes out between two items in place of the end of the one and the beginning of the other.
struct Seam: Sendable {
  /// Position in the first file behind its last frame that goes out.
  var leave: UInt64
  /// Whole frames from there up to the one in which the second item begins, and how long they last.
  var before: [UInt8]
  var secondsBefore: Double
  /// Whole frames from that one on.
  var behind: [UInt8]
  /// Number of the second file's sample that stands where `behind` begins, and where it ends.
  var samples: Range<UInt64>
  /// Position in the second file of its first frame that goes out.
  var enter: UInt64
  /// Seconds by which the second item begins before the end of the first, of an item that is not cut.
  var early: Double
}

/// Makes a seam: its files are read on the threads of their folders, and its sound is made behind everything else.
struct SeamJob: Sendable {
  /// Where the first item is left.
  enum Place: Hashable, Sendable {
    case end
    /// So many frames behind a position in its file.
    case behind(UInt64, frames: Int)
  }

  /// A file that is joined with another one.
  struct Side: Sendable {
    var file: MusicFile
    var media: MediaFile
    /// Of `MPEGGain`.
    var steps: Int
    /// What is played of it; nil: all.
    var cut: MediaCut?
  }

  var from: Side
  var to: Side
  var join: SeamMaker.Join
  var place: Place

  /// Why there is no seam, in words for people.
  struct Refusal: Error, Hashable, Sendable {
    var reason: String
  }

  /// A seam takes 0.1 s, and one that hangs costs its thread; what is late is not waited for.
  private static let lanes = Lanes<String>("seams", count: 2, waitingMax: 100, isBackground: true)
  /// Seconds of a soft end in which a fade may begin early.
  static let softSeconds = 10.0

  /// Seconds of the first item before its end from which on its frames are needed.
  static func seconds(_ join: SeamMaker.Join) -> Double {
    switch join {
    case .gapless: 0
    case .blend(let seconds), .over(let seconds): seconds
    case .fade(let seconds): seconds + softSeconds
    }
  }

  static let secondsMax = PlayRules.fades.upperBound + softSeconds

  func make(_ turns: FolderTurns) async -> Result<Seam, Refusal> {
    if let seam = seamless { return .success(seam) }
    let job = self
    let rate = from.file.format.sampleRate
    let tail = await turns.run(in: from.file.root, within: ItemReader.patience) {
      Result { try job.tail(rate) }
    }
    guard let tail else { return .failure(Refusal(reason: ItemFailure.silentDisk.reason)) }
    let head = await turns.run(in: to.file.root, within: ItemReader.patience) {
      Result { try job.head(rate) }
    }
    guard let head else { return .failure(Refusal(reason: ItemFailure.silentDisk.reason)) }
    let made = await Self.lanes.run(for: from.file.root) { Result { try job.seam(tail, head) } }
    return made?.mapError { Refusal(reason: "\($0)") }
      ?? .failure(Refusal(reason: "too many seams wait"))
  }

  /// Of two parts of one file, of which the one begins where the other ends.
  private var seamless: Seam? {
    guard join == .gapless, place == .end, from.media.identity == to.media.identity,
      let end = from.cut?.last, end == to.cut?.first
    else { return nil }
    return Seam(straightFrom: end.packet.lowerBound, to: end.packet.lowerBound)
  }

  private func tail(_ rate: Int) throws -> SeamEnd {
    switch place {
    case .end:
      let frames = MPEGSplice.framesOfA(overlap: Self.seconds(join), sampleRate: rate)
      return try .tail(of: from.media, from.cut, frames: frames, gain: from.steps)
    case .behind(let position, let frames):
      return try .around(position, of: from.media, from.cut, ahead: frames, gain: from.steps)
    }
  }

  private func head(_ rate: Int) throws -> SeamEnd {
    // Both are heard for as long as the fade.
    let shared =
      switch join {
      case .gapless: 0.0
      case .blend(let seconds), .over(let seconds), .fade(let seconds): seconds
      }
    let frames = MPEGSplice.framesOfB(overlap: shared, sampleRate: rate)
    return try .head(of: to.media, to.cut, frames: frames, gain: to.steps)
  }

  private func seam(
    _ tail: Result<SeamEnd, any Error>, _ head: Result<SeamEnd, any Error>
  ) throws -> Seam {
    let (a, b) = (try tail.get(), try head.get())
    // Files that say nothing of what an encoder has added may be a stream that was cut between two frames.
    if join == .gapless, !a.isTrimmed, !b.isTrimmed, let end = a.places.last,
      let first = b.places.first
    {
      return Seam(straightFrom: end, to: first)
    }
    let rate = from.file.format.sampleRate
    let maker = SeamMaker(
      bitrate: SeamMaker.bitrate(beside: max(a.bitrate, b.bitrate), sampleRate: rate))
    return Seam(try maker.seam(from: a.piece, to: b.piece, join), a, b, sampleRate: rate)
  }
}

extension Seam {
  /// The frames of one file behind those of another, with nothing between.
  init(straightFrom end: UInt64, to first: UInt64) {
    (leave, enter, samples) = (end, first, 0..<0)
    (before, behind, secondsBefore, early) = ([], [], 0, 0)
  }

  init(_ made: SeamMaker.Seam, _ a: SeamEnd, _ b: SeamEnd, sampleRate: Int) {
    let samples = made.frames.first.flatMap { MPEGHeader(in: $0.span) }?.samples ?? 1152
    // The frame of the seam that stands where the second file's first frame would.
    let grid = made.frames.count - made.resumed
    let first = min(made.frames.count, max(0, grid, made.start / samples))
    leave = a.places[made.kept]
    before = made.frames[..<first].flatMap { $0 }
    behind = made.frames[first...].flatMap { $0 }
    secondsBefore = Double(first * samples) / Double(max(1, sampleRate))
    let begins = UInt64(max(0, (first - grid) * samples - b.before))
    self.samples = begins..<max(begins, UInt64(max(0, made.resumed * samples - b.before)))
    enter = b.places[made.resumed]
    let end = (a.piece.frames.count - made.kept) * samples
    early = Double(end - first * samples) / Double(max(1, sampleRate))
  }
}
