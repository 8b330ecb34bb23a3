import Server
import Testing
import Timeshift
import Wire

@testable import Longwave
@testable import LongwaveAPI

@Suite struct SteeringBodyTests {
  /// 2026-11-20T18:00:00Z, where clocks show 20:00.
  private func action(_ json: JSON) throws(APIError) -> Steering {
    let zone = ZoneOffsets(fixed: "+02:00") ?? .utc
    return try SteeringBody.action(json, now: WallTime(seconds: 1_795_197_600), in: zone)
  }

  private func json(_ text: String) throws -> JSON { try #require(JSON.parse(Array(text.utf8))) }

  @Test(
    arguments: [
      (#"{"action":"pause"}"#, .pause), (#"{"action":"resume"}"#, .resume),
      (#"{"action":"live"}"#, .live), (#"{"action":"live","seconds":null}"#, .live),
      (#"{"action":"rewind","seconds":30}"#, .rewind(MediaTime(seconds: 30))),
      (#"{"action":"forward","seconds":0.5}"#, .forward(MediaTime(seconds: 0.5))),
      (#"{"action":"seek","seconds":300}"#, .behind(MediaTime(seconds: 300))),
      (#"{"action":"seek","seconds":"5m"}"#, .behind(MediaTime(seconds: 300))),
      (#"{"action":"seek","seconds":0}"#, .live), (#"{"action":"seek","to":"live"}"#, .live),
      (#"{"action":"seek","to":"previous-track"}"#, .track(.previous)),
      (#"{"action":"seek","at":"2026-11-20T18:00:00Z"}"#, .at(WallTime(seconds: 1_795_197_600))),
      (#"{"action":"seek","at":"-10m"}"#, .at(WallTime(seconds: 1_795_197_000))),
      (#"{"action":"seek","at":"19:30"}"#, .at(WallTime(seconds: 1_795_195_800))),
      (#"{"action":"seek","at":1795197600}"#, .at(WallTime(seconds: 1_795_197_600))),
    ] as [(String, Steering)])
  func `an action says where to go`(body: String, steering: Steering) throws {
    #expect(try action(json(body)) == steering)
  }

  @Test(arguments: [
    ("{}", "action"), (#"{"action":"jump"}"#, "action"), (#"{"action":5}"#, "action"),
    (#"{"action":"rewind"}"#, "seconds"), (#"{"action":"rewind","seconds":0}"#, "seconds"),
    (#"{"action":"rewind","seconds":-5}"#, "seconds"),
    (#"{"action":"forward","at":"2026-11-20T18:00:00Z"}"#, "at"),
    (#"{"action":"pause","seconds":5}"#, "seconds"), (#"{"action":"live","to":"live"}"#, "to"),
    (#"{"action":"seek"}"#, "seconds"), (#"{"action":"seek","seconds":5,"to":"live"}"#, "to"),
    (#"{"action":"seek","to":"tomorrow"}"#, "to"), (#"{"action":"seek","at":"noon"}"#, "at"),
    (#"{"action":"seek","second":5}"#, "second"),
  ])
  func `a malformed steering action is refused with its field`(body: String, field: String) throws {
    let json = try json(body)
    do throws(APIError) {
      Issue.record("\(try action(json))")
    } catch {
      #expect(error.status == 400 && error.field == field, "\(error.message)")
    }
  }

  @Test(arguments: ["1e308", "-1e308", "1e15", "\"1e308\""])
  func `a time that is longer than any is told with how long it may be`(seconds: String) throws {
    let json = try json("{\"action\":\"rewind\",\"seconds\":\(seconds)}")
    let error = #expect(throws: APIError.self) { try action(json) }
    #expect(error?.message.hasSuffix(" is out of range; write 0s to 3652d12h") == true)
    #expect(error?.message.contains("null") == false, "\(String(describing: error))")
  }
}
