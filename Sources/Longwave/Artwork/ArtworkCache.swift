import Ingest
import Threads
import Timeshift
import Wire

/// Pictures of stations and titles: each is fetched once for all pages that show it, and kept for a day.
///
/// So pages need no other server, and listeners' addresses stay with the relay.
actor ArtworkCache {
  private struct Kept {
    var result: Result<FetchedPicture, PictureFailure>
    var madeAt: MonotonicTime
    /// Number of the last use.
    var used: UInt64

    var bytes: Int {
      if case .success(let picture) = result { picture.bytes.count } else { 0 }
    }
  }

  /// Seconds.
  private static let keptMax = 86_400.0
  /// Seconds until a picture that failed is asked for again.
  private static let failureKept = 60.0
  /// Bytes of all kept pictures.
  private static let bytesMax = 32 << 20
  private static let picturesMax = 512
  /// Pictures that are fetched at once; others wait, in turn by station.
  private static let runningMax = 8
  /// Of one station, or of one site: what hangs leaves some to the others.
  private static let runningOfOneMax = 6
  private static let waitingMax = 256
  /// Pictures of one station that are fetched in a minute, however many are asked for.
  private static let perMinuteMax = 60

  /// Fields of a request for a picture.
  struct Wish: Hashable, Sendable {
    var url: String
    /// Whether the operator named the URL; others may not lead to this site or machine.
    var isOwn: Bool
    var station: String
    /// How the station's upstream is asked: by which proxy, under which name.
    var settings: UpstreamSettings
  }

  /// Key of a picture: one station may fetch a picture that another station may not.
  private struct Key: Hashable {
    var url: String
    var isOwn: Bool
  }

  /// A holder of a share of the fetches that run at once.
  private enum Share: Hashable {
    case station(String)
    case site(String)
  }

  private struct Waiting: Sendable {
    let wish: Wish
    /// Gets whether it is the wish's turn; else another station has needed its room.
    let turn: CheckedContinuation<Bool, Never>
  }

  /// Outcome of a wish.
  enum Answer: Sendable {
    case picture(FetchedPicture)
    case failed(PictureFailure)
    /// The picture is being fetched, longer than a browser's connection should be kept.
    case onItsWay
    case tooMany
  }

  /// Seconds that an answer waits for a fetch. Browsers have six connections to a server, and sound needs one of them.
  private let patience: Double
  private let fetch: @Sendable (Wish) async -> Result<FetchedPicture, PictureFailure>
  private let now: @Sendable () -> MonotonicTime
  private var kept: [Key: Kept] = [:]
  private var keptBytes = 0
  /// The answers that wait for each fetch, by number.
  private var wanted: [Key: [UInt64: CheckedContinuation<Answer, Never>]] = [:]
  private var running = 0
  /// Fetches that run, of each that has some.
  private var runningOf: [Share: Int] = [:]
  private var waiting = FairQueue<String, Waiting>()
  private var uses: UInt64 = 0
  /// Times of each station's fetches of the last minute.
  private var begun: [String: [MonotonicTime]] = [:]

  init(
    patience: Double = 1,
    now: @escaping @Sendable () -> MonotonicTime = { .now() },
    fetch: @escaping @Sendable (Wish) async -> Result<FetchedPicture, PictureFailure>
  ) {
    self.patience = patience
    self.now = now
    self.fetch = fetch
  }

  func picture(_ wish: Wish) async -> Answer {
    let key = Key(url: wish.url, isOwn: wish.isOwn)
    uses += 1
    if let entry = kept[key], isFresh(entry) {
      kept[key]?.used = uses
      return Self.answer(entry.result)
    }
    if wanted[key] == nil {
      guard mayBegin(for: wish.station) else { return .tooMany }
      wanted[key] = [:]
      Task { await get(wish, for: key) }
    }
    return await wait(for: key, number: uses)
  }

  private static func answer(_ result: Result<FetchedPicture, PictureFailure>) -> Answer {
    switch result {
    case .success(let picture): .picture(picture)
    case .failure(let failure): .failed(failure)
    }
  }

  private func get(_ wish: Wish, for key: Key) async {
    guard await waitForTurn(wish) else { return tell(.tooMany, of: key) }
    let result = await fetch(wish)
    giveTurn(of: wish)
    keep(result, of: key)
    tell(Self.answer(result), of: key)
  }

  private func tell(_ answer: Answer, of key: Key) {
    for waiting in (wanted.removeValue(forKey: key) ?? [:]).values {
      waiting.resume(returning: answer)
    }
  }

  private func wait(for key: Key, number: UInt64) async -> Answer {
    let timer = Task {
      try await Task.sleep(for: .seconds(patience))
      wanted[key]?.removeValue(forKey: number)?.resume(returning: .onItsWay)
    }
    defer { timer.cancel() }
    return await withCheckedContinuation { wanted[key, default: [:]][number] = $0 }
  }

  // MARK: Turns

  private static func shares(of wish: Wish) -> [Share] {
    [.station(wish.station), .site(WebURL.parts(of: wish.url).host.lowercased())]
  }

  private func mayRun(_ wish: Wish) -> Bool {
    running < Self.runningMax
      && Self.shares(of: wish).allSatisfy { runningOf[$0, default: 0] < Self.runningOfOneMax }
  }

  private func begin(_ wish: Wish) {
    running += 1
    for share in Self.shares(of: wish) { runningOf[share, default: 0] += 1 }
  }

  /// Returns when the wish may be fetched; false when it is given up for one of another station.
  private func waitForTurn(_ wish: Wish) async -> Bool {
    if mayRun(wish) {
      begin(wish)
      return true
    }
    return await withCheckedContinuation {
      waiting.append(Waiting(wish: wish, turn: $0), of: wish.station)
      if waiting.count > Self.waitingMax {
        waiting.popLastOfGreediest()?.turn.resume(returning: false)
      }
    }
  }

  /// Hands the turn to the next station with a picture whose share has room.
  private func giveTurn(of wish: Wish) {
    running -= 1
    for share in Self.shares(of: wish) {
      let count = runningOf[share, default: 0]
      runningOf[share] = count > 1 ? count - 1 : nil
    }
    while running < Self.runningMax, let next = waiting.popFirst(where: { mayRun($0.wish) }) {
      begin(next.wish)
      next.turn.resume(returning: true)
    }
  }

  private func isFresh(_ entry: Kept) -> Bool {
    let age = now().seconds(since: entry.madeAt)
    if case .success = entry.result { return age < Self.keptMax }
    return age < Self.failureKept
  }

  private func mayBegin(for station: String) -> Bool {
    let now = now()
    begun = begun.compactMapValues { times in
      let young = times.filter { now.seconds(since: $0) < 60 }
      return young.isEmpty ? nil : young
    }
    let own = begun[station] ?? []
    // Where all room is taken, a station without a waiting picture gets that of the one with the most.
    let hasRoom = waiting.count < Self.waitingMax || waiting.count(of: station) == 0
    guard hasRoom, own.count < Self.perMinuteMax else { return false }
    begun[station] = own + [now]
    return true
  }

  private func keep(_ result: Result<FetchedPicture, PictureFailure>, of key: Key) {
    let entry = Kept(result: result, madeAt: now(), used: uses)
    keptBytes += entry.bytes - (kept.updateValue(entry, forKey: key)?.bytes ?? 0)
    while keptBytes > Self.bytesMax || kept.count > Self.picturesMax,
      let oldest = kept.min(by: { $0.value.used < $1.value.used })
    {
      keptBytes -= oldest.value.bytes
      kept[oldest.key] = nil
    }
  }
}
