import Timeshift
import Wire

/// What was read of another station and is not in the programme's log yet, and whether the station plays.
struct TakenSound: Sendable {
  /// What a programme gets of a station, in the order of the audio.
  enum Piece: Sendable {
    case packet([UInt8], samples: Int, AudioFormat)
    /// Headers or pages of an Ogg stream.
    case pages([UInt8], seconds: Double)
    case title(Title)
    /// Seconds that are missing in front of what follows.
    case gap(Double, GapCause)
  }

  /// Seconds for which a station must have played.
  static let playedSeconds = 2.0
  /// Seconds without a packet after which a station on air counts as not playing, and any other one.
  static let (patienceStandard, patienceOffAir) = (10.0, 1.0)
  /// Seconds that are held at most: what comes faster than it is played.
  private static let heldMax = 30.0

  var isEnded = false
  var isOnAir = false
  var isSilent = false
  /// Whether the upstream has gone for good, as far as it said.
  var hasSaidGoodbye = false
  private(set) var refusal: String?
  private let patience: Double
  /// Seconds that were played since the station last began.
  private var played = 0.0
  private var cameAt: MonotonicTime?
  /// Those from `head` on are there.
  private var pieces: [Piece] = []
  private var head = 0
  private var held = 0.0

  init(patience: Double) { self.patience = patience }

  func isPlaying(at now: MonotonicTime) -> Bool {
    guard let cameAt, refusal == nil, !isEnded, !isSilent else { return false }
    let isPatient = isOnAir && !hasSaidGoodbye
    return played >= Self.playedSeconds
      && now.seconds(since: cameAt) < (isPatient ? patience : Self.patienceOffAir)
  }

  /// Counts a packet; true: the station begins with it.
  mutating func came(_ seconds: Double, at now: MonotonicTime) -> Bool {
    let rest = cameAt.map { now.seconds(since: $0) } ?? .infinity
    let isNew = rest >= (isOnAir ? patience : Self.patienceOffAir)
    if rest >= Self.patienceOffAir { hasSaidGoodbye = false }
    if isNew { played = 0 }
    cameAt = now
    played += seconds
    return isNew
  }

  /// The station begins anew with its first sound.
  mutating func soundBegins() { (isSilent, played) = (false, 0) }

  mutating func refuse(_ reason: String) {
    refusal = refusal ?? reason
    forget()
  }

  /// Another format may be one that can be played.
  mutating func admit() { refusal = nil }

  mutating func leaveAir() {
    isOnAir = false
    forget()
  }

  private mutating func forget() { (pieces, head, held) = ([], 0, 0) }

  /// The next piece; nil while none is there.
  mutating func next() -> Piece? { isOnAir && head < pieces.count ? drop() : nil }

  mutating func add(_ piece: Piece) {
    guard refusal == nil, isOnAir else { return }
    pieces.append(piece)
    held += piece.seconds
    var lost = 0.0
    // Titles, and the headers of a stream, are those of what follows.
    var kept: [Piece] = []
    while held > Self.heldMax, head < pieces.count - 1 {
      let gone = drop()
      lost += gone.seconds
      switch gone {
      case .title: kept.removeAll { if case .title = $0 { true } else { false } }
      case .pages(_, seconds: 0): kept.removeAll { if case .pages = $0 { true } else { false } }
      case .gap(let seconds, _):
        lost += seconds
        continue
      case .packet, .pages: continue
      }
      kept.append(gone)
    }
    guard lost > 0 else { return }
    pieces = [.gap(lost, .upstreamAway)] + kept + pieces[head...]
    head = 0
  }

  private mutating func drop() -> Piece {
    let piece = pieces[head]
    head += 1
    held = max(0, held - piece.seconds)
    if head == pieces.count || head >= 1024 {
      pieces.removeFirst(head)
      head = 0
    }
    return piece
  }
}

extension TakenSound.Piece {
  fileprivate var seconds: Double {
    switch self {
    case .packet(_, let samples, let format):
      MediaTime(samples: samples, rate: format.sampleRate).seconds
    case .pages(_, let seconds): seconds
    case .title, .gap: 0
    }
  }
}
