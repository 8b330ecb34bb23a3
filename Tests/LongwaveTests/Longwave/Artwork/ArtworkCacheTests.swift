import Ingest
import Synchronization
import Testing
import Timeshift

@testable import Longwave

@Suite struct ArtworkCacheTests {
  /// A server of pictures that remembers what it was asked, and waits where it is told to.
  private final class Server: Sendable {
    let asked = Mutex<[String]>([])
    let time = Mutex(MonotonicTime(nanoseconds: 0))
    private let gate = Mutex<[CheckedContinuation<Void, Never>]?>(nil)

    func pass(_ seconds: Double) { time.withLock { $0 = $0.adding(seconds) } }
    func shut() { gate.withLock { $0 = [] } }

    func open() {
      for waiting in gate.withLock({ waiting in
        defer { waiting = nil }
        return waiting ?? []
      }) { waiting.resume() }
    }

    var waiting: Int { gate.withLock { $0?.count ?? 0 } }

    func answer(_ url: String) async -> Result<FetchedPicture, PictureFailure> {
      asked.withLock { $0.append(url) }
      await withCheckedContinuation { continuation in
        let isOpen = gate.withLock { waiting in
          waiting?.append(continuation)
          return waiting == nil
        }
        if isOpen { continuation.resume() }
      }
      if url.hasSuffix("bad") { return .failure(PictureFailure(reason: "it is no picture")) }
      let count = url.hasSuffix("large") ? 9 << 20 : 10
      return .success(
        FetchedPicture(mediaType: "image/png", bytes: .init(repeating: 1, count: count)))
    }

    func cache(patience: Double = 600) -> ArtworkCache {
      ArtworkCache(
        patience: patience, now: { self.time.withLock(\.self) },
        fetch: { await self.answer($0.url) })
    }

    func count(_ url: String) -> Int { asked.withLock { $0.count { $0 == url } } }
  }

  private static func wish(
    _ url: String, isOwn: Bool = false, of station: String = "jazz"
  ) -> ArtworkCache.Wish {
    ArtworkCache.Wish(
      url: url, isOwn: isOwn, station: station, settings: UpstreamSettings(urls: []))
  }

  @Test func `a picture is fetched once for all who ask, and again after a day`() async throws {
    let server = Server()
    let cache = server.cache()
    server.shut()
    await withTaskGroup { group in
      for _ in 0..<20 {
        group.addTask { #expect(await cache.picture(Self.wish("a")).isPicture) }
      }
      while server.waiting == 0 { await Task.yield() }
      server.open()
    }
    #expect(server.count("a") == 1)
    server.pass(86_000)
    _ = await cache.picture(Self.wish("a"))
    #expect(server.count("a") == 1)
    server.pass(500)
    _ = await cache.picture(Self.wish("a"))
    #expect(server.count("a") == 2)
  }

  @Test func `a picture that cannot be had is asked for again after a minute`() async {
    let server = Server()
    let cache = server.cache()
    for _ in 0..<3 {
      #expect(await !cache.picture(Self.wish("bad")).isPicture)
    }
    #expect(server.count("bad") == 1)
    server.pass(61)
    _ = await cache.picture(Self.wish("bad"))
    #expect(server.count("bad") == 2)
  }

  @Test func `the picture used least goes first when there are too many bytes`() async {
    let server = Server()
    let cache = server.cache()
    for url in ["1large", "2large", "3large", "1large", "4large", "1large"] {
      _ = await cache.picture(Self.wish(url))
    }
    #expect(server.count("1large") == 1)
    _ = await cache.picture(Self.wish("2large"))
    #expect(server.count("2large") == 2)
  }

  @Test func `a picture refused to one station is fetched for another`() async {
    let server = Server()
    let cache = server.cache()
    _ = await cache.picture(Self.wish("bad"))
    _ = await cache.picture(Self.wish("bad", isOwn: true, of: "rock"))
    #expect(server.count("bad") == 2)
  }

  @Test func `many pictures at once are fetched one after the other`() async {
    let server = Server()
    let cache = server.cache()
    server.shut()
    await withTaskGroup { group in
      for number in 0..<30 {
        let wish = Self.wish("http://\(number % 2)/\(number)", of: "\(number % 2)")
        group.addTask { #expect(await cache.picture(wish).isPicture) }
      }
      while server.waiting < 8 { await Task.yield() }
      #expect(server.asked.withLock(\.count) == 8)
      server.open()
    }
    #expect(server.asked.withLock(\.count) == 30)
  }

  /// - Parameter places: a station and a site of pictures that hang.
  @Test(arguments: [("jazz", "0"), ("jazz", "a.example"), ("0", "a.example")])
  func `a station or a site whose pictures hang leaves turns to others`(
    station: String, site: String
  ) async {
    let server = Server()
    let cache = server.cache()
    server.shut()
    await withTaskGroup { group in
      for number in 0..<50 {
        let place = site == "0" ? "site\(number)" : site
        let wish = Self.wish(
          "http://\(place)/\(number)", of: station == "0" ? "station\(number)" : station)
        group.addTask { _ = await cache.picture(wish) }
      }
      while server.waiting < 6 { await Task.yield() }
      for _ in 0..<1000 { await Task.yield() }
      #expect(server.waiting == 6)
      group.addTask {
        #expect(await cache.picture(Self.wish("http://b.example/1", of: "rock")).isPicture)
      }
      group.addTask {
        #expect(await cache.picture(Self.wish("http://b.example/2", of: "rock")).isPicture)
      }
      while server.waiting < 8 { await Task.yield() }
      #expect(server.count("http://b.example/1") == 1 && server.count("http://b.example/2") == 1)
      server.open()
    }
    #expect(server.asked.withLock(\.count) == 52)
  }

  @Test func `strangers cannot make the cache fetch pictures without end`() async {
    let server = Server()
    let cache = server.cache()
    for number in 0..<300 { _ = await cache.picture(Self.wish("\(number)")) }
    #expect(server.asked.withLock(\.count) == 60)
    // What is there is shown all the same, and other stations have their own share.
    #expect(await cache.picture(Self.wish("0")).isPicture)
    guard case .tooMany = await cache.picture(Self.wish("299")) else {
      Issue.record("it was fetched")
      return
    }
    #expect(await cache.picture(Self.wish("rock", of: "rock")).isPicture)
    server.pass(60)
    #expect(await cache.picture(Self.wish("299")).isPicture)
  }

  @Test func `a picture that takes long keeps nobody waiting, and is there for the next`() async {
    let server = Server()
    let cache = server.cache(patience: 0.01)
    server.shut()
    for _ in 0..<3 {
      guard case .onItsWay = await cache.picture(Self.wish("a")) else {
        Issue.record("it waited")
        return
      }
    }
    server.open()
    while await !cache.picture(Self.wish("a")).isPicture { await Task.yield() }
    #expect(server.count("a") == 1)
  }
}

extension ArtworkCache.Answer {
  fileprivate var isPicture: Bool {
    if case .picture = self { true } else { false }
  }
}
