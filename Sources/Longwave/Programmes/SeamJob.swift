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

  var from: (file: MusicFile, media: MediaFile, steps: Int)
  var to: (file: MusicFile, media: MediaFile, steps: Int)
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

  func make(_ turns: FolderTurns) async -> Result<Seam, Refusal> {
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

  private func tail(_ rate: Int) throws -> SeamEnd {
    switch place {
    case .end:
      let frames = MPEGSplice.framesOfA(overlap: Self.seconds(join), sampleRate: rate)
      return try .tail(of: from.media, frames: frames, gain: from.steps)
    case .behind(let position, let frames):
      return try .around(position, of: from.media, ahead: frames, gain: from.steps)
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
    return try .head(of: to.media, frames: frames, gain: to.steps)
  }

  private func seam(
    _ tail: Result<SeamEnd, any Error>, _ head: Result<SeamEnd, any Error>
  ) throws -> Seam {
    let (a, b) = (try tail.get(), try head.get())
    // Files that say nothing of what an encoder has added may be a stream that was cut between two frames.
    if join == .gapless, !a.isTrimmed, !b.isTrimmed, let seam = Seam(straightFrom: a, to: b) {
      return seam
    }
    let rate = from.file.format.sampleRate
    let maker = SeamMaker(
      bitrate: SeamMaker.bitrate(beside: max(a.bitrate, b.bitrate), sampleRate: rate))
    return Seam(try maker.seam(from: a.piece, to: b.piece, join), a, b, sampleRate: rate)
  }
}

extension Seam {
  /// The frames of one file behind those of another, with nothing between.
  init?(straightFrom a: SeamEnd, to b: SeamEnd) {
    guard let end = a.places.last, let first = b.places.first else { return nil }
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
    self.samples = UInt64((first - grid) * samples)..<UInt64(made.resumed * samples)
    enter = b.places[made.resumed]
    let end = (a.piece.frames.count - made.kept) * samples
    early = Double(end - first * samples) / Double(max(1, sampleRate))
  }
}
