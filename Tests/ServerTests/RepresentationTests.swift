import Testing
import Wire

@testable import Server

@Suite struct RepresentationTests {
  private func suited(
    _ count: Int, type: String = "application/json", status: Int = 200, method: String = "GET",
    mayBeKept: Bool = true, fields: [(name: String, value: String)] = []
  ) -> Representation {
    var page = Representation(
      status: status, mediaType: type, body: Array(repeating: 32, count: count),
      fields: mayBeKept ? [CacheControl.revalidate] : [])
    page.suit(
      HTTPRequestHead(
        method: method, target: "/", path: "/",
        fields: HTTPFields(fields.isEmpty ? [(name: "Accept-Encoding", value: "gzip")] : fields)))
    return page
  }

  private func value(_ name: String, of page: Representation) -> String? {
    page.fields.first { $0.name == name }?.value
  }

  @Test(arguments: [
    (1023, false), (1024, true), (100_000, true), (16 * 1024 * 1024, true),
    (16 * 1024 * 1024 + 1, false),
  ])
  func `a page too short or too long to be worth it is not compressed`(
    count: Int, isCompressed: Bool
  ) {
    let page = suited(count)
    #expect((value("Content-Encoding", of: page) == "gzip") == isCompressed)
    #expect((value("Vary", of: page) != nil) == isCompressed)
    #expect((page.body.count == count) == !isCompressed)
  }

  @Test(arguments: [
    ("text/html; charset=utf-8", true), ("text/plain", true), ("application/json", true),
    ("audio/x-mpegurl", false), ("audio/mpeg", false), ("application/xspf+xml", false), ("", false),
  ])
  func `pages and JSON are compressed, lists and audio are not`(type: String, isCompressed: Bool) {
    #expect((value("Content-Encoding", of: suited(5000, type: type)) != nil) == isCompressed)
  }

  @Test func `a page that cannot get shorter stays as it is`() {
    var state: UInt32 = 1
    let noise = (0..<4096).map { _ in
      state = state &* 1_664_525 &+ 1_013_904_223
      return UInt8(state >> 24)
    }
    var page = Representation(status: 200, mediaType: "text/plain", body: noise, fields: [])
    page.suit(
      HTTPRequestHead(
        method: "GET", target: "/", path: "/",
        fields: HTTPFields([(name: "Accept-Encoding", value: "gzip")])))
    #expect(page.body == noise && value("Content-Encoding", of: page) == nil)
    #expect(value("Vary", of: page) == "Accept-Encoding")
  }

  @Test func `a page has a tag only if it may be kept and was found by reading`() throws {
    let tag = try #require(value("ETag", of: suited(10)))
    #expect(value("ETag", of: suited(10, method: "HEAD")) == tag)
    #expect(value("ETag", of: suited(11)) != tag)
    // The same page compressed is the same page.
    #expect(suited(10, fields: [(name: "If-None-Match", value: tag)]).status == 304)
    #expect(value("ETag", of: suited(10, method: "POST")) == nil)
    #expect(value("ETag", of: suited(10, status: 503)) == nil)
    #expect(value("ETag", of: suited(10, mayBeKept: false)) == nil)
    for page in [
      suited(10, method: "POST", fields: [(name: "If-None-Match", value: "*")]),
      suited(10, mayBeKept: false, fields: [(name: "If-None-Match", value: "*")]),
      suited(10, status: 404, fields: [(name: "If-None-Match", value: "*")]),
    ] { #expect(page.status != 304) }
  }

  @Test func `a long answer is long only where it is compressed or hashed`() {
    func isLong(_ coding: String?, _ bytes: Int, _ mediaType: String, _ control: HTTPFields.Field)
      -> Bool
    {
      var head = HTTPRequestHead(method: "GET", target: "/x", path: "/x")
      if let coding { head.fields.set("Accept-Encoding", coding) }
      return APIResponse.whole(
        status: 200, mediaType: mediaType, body: Array(repeating: 97, count: bytes),
        fields: [control]
      ).isLong(for: head)
    }
    #expect(isLong("gzip", 20_000, "application/json", CacheControl.none))
    #expect(!isLong("gzip", 10_000, "application/json", CacheControl.none))
    #expect(!isLong("gzip", 20_000, "image/png", CacheControl.none))
    #expect(!isLong(nil, 20_000, "application/json", CacheControl.none))
    #expect(isLong(nil, 20_000, "image/png", CacheControl.revalidate))
  }
}
