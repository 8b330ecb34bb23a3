import Testing
import Timeshift
import Wire

@testable import Server

struct StreamRequestTests {
  private func parse(_ target: String, _ fields: String = "") throws -> StreamRequest {
    let text = Array("GET \(target) HTTP/1.1\r\nHost: x\r\n\(fields)\r\n".utf8)
    let head = try #require(try HTTPRequestParser.parse(text.span)).head
    return try StreamRequest(head)
  }

  @Test(arguments: [
    ("/jazz", StreamRequest.Place.live), ("/jazz?offset=0", .live),
    ("/jazz?offset=300", .behind(MediaTime(seconds: 300))),
    ("/jazz?offset=-300", .behind(MediaTime(seconds: 300))),
    ("/jazz?offset=5m", .behind(MediaTime(seconds: 300))),
    ("/jazz?at=1790000000", .at(WallTime(seconds: 1_790_000_000))),
    ("/jazz?at=2026-11-20T18:00:00Z", .at(WallTime(seconds: 1_795_197_600))),
    ("/jazz?unknown=1", .live),
  ])
  func `a place is read from the query`(target: String, place: StreamRequest.Place) throws {
    #expect(try parse(target).place == place)
  }

  @Test(arguments: [
    ("/jazz?offset=abc", "offset"), ("/jazz?offset=", "offset"),
    ("/jazz?offset=1&offset=2", "offset"),
    ("/jazz?at=yesterday", "at"), ("/jazz?at=1790000000000", "at"), ("/jazz?offset=5&at=5", "at"),
    ("/jazz?burst=61", "burst"), ("/jazz?burst=-1", "burst"), ("/jazz?burst=x", "burst"),
  ])
  func `a parameter that cannot be is refused by name`(target: String, field: String) throws {
    let refusal = #expect(throws: StreamRequest.Refusal.self) { try parse(target) }
    #expect(refusal?.field == field)
  }

  @Test(arguments: [
    ("", false), ("Icy-MetaData: 1\r\n", true), ("icy-metadata:1\r\n", true),
    ("Icy-MetaData: 0\r\n", false), ("Icy-MetaData: 2\r\n", true), ("Icy-MetaData: yes\r\n", false),
  ])
  func `titles come only to those who ask`(fields: String, wants: Bool) throws {
    #expect((try parse("/jazz", fields).metaint(16_000, for: .mp3) != nil) == wants)
  }
}
