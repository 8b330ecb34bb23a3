import Longwave
import Testing

@testable import LongwaveAdmin

/// What is queued by words, in how many requests.
@Suite struct QueueRequestTests {
  private func requests(_ words: [String]) -> [QueueRequest] {
    QueueRequest.all(words, in: "/home/a") { $0 == "here.mp3" }
  }

  @Test func `words are tracks, addresses, files and collections, and stay in their order`() {
    let track = "0123456789abcdef0123456789ABCDEF"
    #expect(
      requests([
        track, "here.mp3", "../b/./c.mp3", "/srv//x/../y.mp3", "party", "https://h/a.mp3", track,
      ]) == [
        .init(key: "track", values: [track]),
        .init(key: "path", values: ["/home/a/here.mp3", "/home/b/c.mp3", "/srv/y.mp3"]),
        .init(key: "collection", values: ["party"]),
        .init(key: "url", values: ["https://h/a.mp3"]), .init(key: "track", values: [track]),
      ])
  }

  @Test func `more than a request takes is sent in several`() {
    let words = (0..<500).map { "/srv/\($0)/" + String(repeating: "x\u{1}", count: 200) + ".mp3" }
    let all = requests(words)
    #expect(all.count > 1 && all.flatMap(\.values) == words)
    for request in all {
      let body = JSON.array(request.values.map(JSON.string)).text.utf8.count
      #expect(body < 64 << 10)
    }
  }
}
