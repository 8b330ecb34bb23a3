import Library
import Media
import Threads
import Timeshift
import Wire

/// Why an item could not be played, or not to its end.
struct ItemFailure: Error, Hashable, Sendable {
  /// In words that follow the file's name and a colon.
  var reason: String
  /// Whether the file's content is at fault, so that it fails again. A disk may be there again.
  var isOfFile: Bool

  init(_ reason: String, isOfFile: Bool = false) {
    (self.reason, self.isOfFile) = (reason, isOfFile)
  }

  static let silentDisk = ItemFailure("its disk does not answer")
}

/// An item's file, opened and read ahead on the thread of its folder. Only its feed's actor has it.
final class ItemReader {
  enum State {
    case opening
    case open(MediaFile)
    case failed(ItemFailure)
  }

  /// Seconds that a disk has for one piece.
  static let patience = 5.0
  private static let pieceBytes = 128 << 10
  /// The first piece of a file that may not be played for minutes.
  private static let firstBytes = 16 << 10
  /// With fewer bytes left another piece is read: 8 s at 128 kbit/s; at 320 kbit/s 3 s, and the log has 2 s.
  private static let aheadBytes = 128 << 10

  /// Has a file made that does not fit as it is.
  typealias Make = @Sendable (MadeFormat) async -> FileMaker.Outcome

  let file: MusicFile
  /// Whose bytes are read: the file, or what was made of it.
  private(set) var played: MusicFile
  let isMade: Bool
  /// What is made of the file before it is read; nil: nothing.
  let making: MadeFormat?
  private(set) var state = State.opening
  /// The packets that are played of a file of frames; nil: all.
  private(set) var cut: MediaCut?
  /// What is left out between the headers of an Ogg file and the part that is played; nil: nothing.
  private(set) var jump: MediaOggPlace?
  /// Whether anything may be; not where samples are counted from the file's beginning on before it is open.
  var mayJump = true
  /// Where it ends for the log; nil: at its end.
  var end: UInt64?
  private let turns: FolderTurns
  private let make: Make?
  private var ahead: ArraySlice<UInt8> = []
  /// Where the next piece begins.
  private var place: UInt64 = 0
  private var isReading = false
  private var hasEnded = false

  init(_ file: MusicFile, _ turns: FolderTurns) {
    (self.file, played, self.turns) = (file, file, turns)
    (making, make, isMade) = (nil, nil, false)
  }

  /// Reads what is made of a file.
  init(_ file: MusicFile, as format: MadeFormat, _ turns: FolderTurns, make: @escaping Make) {
    (self.file, played, self.turns) = (file, file, turns)
    (making, self.make, isMade) = (format, make, true)
  }

  /// Reads what another one has open from a place on.
  init(_ other: ItemReader, from place: UInt64) {
    (file, played, turns, state) = (other.file, other.played, other.turns, other.state)
    (making, make, isMade, self.place) = (other.making, nil, other.isMade, place)
    cut = other.cut
  }

  /// The open file.
  var media: MediaFile? { if case .open(let media) = state { media } else { nil } }

  /// Whether something of it was read.
  private(set) var hasOpened = false

  /// Whether it cannot be read yet, since it is not made.
  var isBeingMade: Bool { if case .opening = state { isMade } else { false } }

  /// What is played of the packets of an Ogg file, by the samples of those that are read. nil: all of them.
  var samplesOfOgg: (from: UInt64, to: UInt64?)? {
    guard let cue = file.cue, played.format.codec.isOgg else { return nil }
    let left = jump?.samples ?? 0
    func sample(at seconds: Double) -> UInt64 {
      UInt64(bounded: (seconds * Double(played.format.sampleRate)).rounded())
        .saturatingSubtract(left)
    }
    return (sample(at: cue.start), cue.end.map(sample))
  }

  /// Where what is played of the file ends.
  var last: UInt64 { cut?.last?.packet.lowerBound ?? played.identity.bytes }

  /// The number of its bytes that are played.
  var bytes: UInt64 { last.saturatingSubtract(cut?.first?.packet.lowerBound ?? 0) }

  /// Where the next byte that is handed out stands in the file.
  var position: UInt64 { place - UInt64(ahead.count) }

  /// Whether all of the file was handed out.
  var isOver: Bool { hasEnded && ahead.isEmpty }

  /// Whether all in front of `end` was handed out.
  var isAtEnd: Bool { end.map { position >= $0 } ?? false }

  /// Returns the next bytes; empty while none are there.
  func take(_ count: Int) -> [UInt8] {
    let left = end.map { Int(clamping: $0.saturatingSubtract(position)) } ?? count
    let count = min(count, left)
    defer { ahead = ahead.dropFirst(count) }
    return Array(ahead.prefix(count))
  }

  /// Returns whether a piece is to be read now: one is wanted, and none is being read.
  func wantsPiece() -> Bool {
    if case .failed = state { return false }
    guard !isReading, !hasEnded, ahead.count < Self.aheadBytes else { return false }
    if let end, place >= end { return false }
    isReading = true
    return true
  }

  /// Opens the file or reads on, after `wantsPiece` said so; returns when the piece is there.
  func read(isolation: isolated (any Actor)? = #isolation) async {
    let count = media == nil ? Self.firstBytes : Self.pieceBytes
    do throws(ItemFailure) {
      let file = try await open()
      let place = place
      let headers = jump.flatMap { place < $0.headers.upperBound ? $0 : nil }
      let wanted = Int(
        min(UInt64(count), (headers?.headers.upperBound ?? last).saturatingSubtract(place)))
      let bytes = try await run { try file.piece(at: place, count: wanted) }
      (state, hasOpened) = (.open(file), true)
      ahead += bytes
      self.place = place + UInt64(bytes.count)
      if let headers, self.place == headers.headers.upperBound {
        self.place = headers.page
      } else {
        hasEnded = bytes.count < (headers == nil ? count : wanted)
      }
    } catch {
      state = .failed(error)
    }
    isReading = false
  }

  /// Opens the file, and finds what is played of it.
  private func open(
    isolation: isolated (any Actor)? = #isolation
  ) async throws(ItemFailure) -> MediaFile {
    if let media { return media }
    let file: MediaFile
    if let make, let making {
      let made = try await make(making).get()
      file = made.open
      played = made.file
    } else {
      let (root, path, identity) = (played.root, played.path, played.identity)
      file = try await run {
        let file = try MediaFolder.open(bytes: path, in: root)
        guard file.identity.bytes == identity.bytes, file.identity.modified == identity.modified
        else { throw ItemFailure("it has changed") }
        return file
      }
    }
    guard let cue = self.file.cue else { return file }
    guard let from = samplesOfOgg?.from else {
      try await find(cue, in: file)
      return file
    }
    // A second more, so that a decoder has heard what comes before.
    let near = from.saturatingSubtract(UInt64(played.format.sampleRate))
    if mayJump, near > 0 { jump = try await run { try file.oggPlace(before: near) } }
    return file
  }

  /// Finds the packets of a part of the file: in pieces, since a long file on a slow disk takes longer than one may.
  private func find(
    _ cue: TrackCue, in file: MediaFile, isolation: isolated (any Actor)? = #isolation
  ) async throws(ItemFailure) {
    var search = try await run { try MediaCutSearch(file, cue) }
    var isOver = search == nil
    while !isOver {
      (search, isOver) = try await run { [search] in
        var next = search
        let isOver = try next?.step() ?? true
        return (next, isOver)
      }
    }
    guard let cut = search?.cut else {
      throw ItemFailure(
        self.file.whole == nil
          ? "it is too short for its cueIn and cueOut" : "its file ends before this part begins")
    }
    self.cut = cut
    place = cut.first?.packet.lowerBound ?? 0
  }

  /// Has something done on the thread of the file's folder.
  private func run<Value: Sendable>(
    isolation: isolated (any Actor)? = #isolation, _ body: @escaping @Sendable () throws -> Value
  ) async throws(ItemFailure) -> Value {
    let outcome = await turns.run(in: played.root, within: Self.patience) {
      () -> Result<Value, ItemFailure> in
      do {
        return .success(try body())
      } catch let failure as ItemFailure {
        return .failure(failure)
      } catch let error as StorageError {
        return .failure(ItemFailure(error.reason))
      } catch let refusal as MediaFolder.Refusal {
        return .failure(ItemFailure(refusal.words))
      } catch {
        return .failure(ItemFailure("\(error)"))
      }
    }
    guard let outcome else { throw .silentDisk }
    return try outcome.get()
  }
}
