import Ingest
import Timeshift
import Wire

/// Pictures of stations and titles: each is fetched once for all pages that show it, and kept for a day.
///
/// So pages need no other server, and listeners' addresses stay with the relay.
actor ArtworkDesk {
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
  /// Pictures that are fetched at once; others wait.
  private static let runningMax = 8
  private static let waitingMax = 64
  /// Pictures of one station that are fetched in a minute, however many are asked for.
  private static let perMinuteMax = 60

  /// What a picture is asked for with.
  struct Wish: Hashable, Sendable {
    var url: String
    /// Whether the operator named the URL; others may not lead to this site or machine.
    var isOwn: Bool
    var station: String
    /// How the station's upstream is asked: by which proxy, under which name.
    var settings: UpstreamSettings
  }

  /// What tells pictures apart: what one station may fetch, another may not.
  private struct Key: Hashable {
    var url: String
    var isOwn: Bool
  }

  /// What came of a wish.
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
  private var waiting: [CheckedContinuation<Void, Never>] = []
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
    await takeTurn()
    let result = await fetch(wish)
    giveTurn()
    keep(result, of: key)
    for waiting in (wanted.removeValue(forKey: key) ?? [:]).values {
      waiting.resume(returning: Self.answer(result))
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

  private func takeTurn() async {
    if running < Self.runningMax {
      running += 1
    } else {
      await withCheckedContinuation { waiting.append($0) }
    }
  }

  /// Hands the turn to the fetch that waits longest.
  private func giveTurn() {
    if waiting.isEmpty { running -= 1 } else { waiting.removeFirst().resume() }
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
    guard waiting.count < Self.waitingMax, own.count < Self.perMinuteMax else { return false }
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
