import Logging
import Reactor
import TestSupport
import Testing
import Timeshift

@testable import Longwave
@testable import LongwaveAPI
@testable import Store

@Suite struct BanTests {
  private static let now = Sample.time

  @Test func `a ban says whom, how long and why`() throws {
    let good = try BanBody(["address": "203.0.113.9/24"], now: Self.now)
    #expect(good.target == .range(AddressRange("203.0.113.0/24")!) && good.until == nil)
    let listener = try BanBody(
      ["listener": .integer(7), "seconds": .number(1.5), "reason": "noise", "until": nil],
      now: Self.now)
    #expect(listener.target == .listener(7) && listener.reason == "noise")
    #expect(listener.until == Self.now.adding(seconds: 1.5))
    let hour = try BanBody(["address": "::1", "seconds": "1h"], now: Self.now)
    #expect(hour.until == Self.now.adding(seconds: 3600))
    let until = try BanBody(
      ["address": "::1", "until": "2027-01-01T00:00:00Z"], now: Self.now)
    #expect(until.until?.stored == 1_798_761_600_000_000_000)
  }

  @Test(arguments: [
    (#"{}"#, "address"), (#"{"address":"radio.example"}"#, "address"),
    (#"{"address":"10.0.0.0/33"}"#, "address"), (#"{"listener":0}"#, "listener"),
    (#"{"listener":"x"}"#, "listener"), (#"{"address":"::1","listener":7}"#, "listener"),
    (#"{"address":"::1","seconds":0}"#, "seconds"), (#"{"address":"::1","seconds":-5}"#, "seconds"),
    (#"{"address":"::1","seconds":1e300}"#, "seconds"),
    (#"{"address":"::1","seconds":5,"until":"2027-01-01T00:00:00Z"}"#, "until"),
    (#"{"address":"::1","until":"2020-01-01T00:00:00Z"}"#, "until"),
    (#"{"address":"::1","until":"tomorrow"}"#, "until"),
    (#"{"address":"::1","reason":"a\nb"}"#, "reason"), (#"{"adress":"::1"}"#, "adress"),
  ])
  func `a malformed ban is refused with its field`(text: String, field: String) throws {
    let json = try #require(JSON.parse(Array(text.utf8)))
    do throws(APIError) {
      let body = try BanBody(json, now: Self.now)
      Issue.record("\(body) was taken")
    } catch {
      #expect(error.status == 400 && error.field == field)
    }
  }

  @Test func `bans outlive the program, until they end`() async throws {
    let folder = TemporaryDirectory()
    let path = folder.path + "/a.db"
    let store = try await StationStore.open(path)
    let (one, two) = (try #require(AddressRange("10.0.0.0/8")), try #require(AddressRange("::1")))
    let later = Self.now.adding(seconds: 60)
    let first = try await store.ban(one, from: Self.now, until: nil, reason: nil)
    let second = try await store.ban(two, from: Self.now, until: later, reason: "x")
    let again = try await store.ban(one, from: Self.now, until: nil, reason: "anew")
    #expect(first < second && second < again)
    await store.close()
    let reopened = try await StationStore.open(path)
    #expect(
      try await reopened.bans(now: Self.now) == [
        BanRecord(id: second, range: two, createdAt: Self.now, until: later, reason: "x"),
        BanRecord(id: again, range: one, createdAt: Self.now, until: nil, reason: "anew"),
      ])
    #expect(try await reopened.bans(now: later).map(\.id) == [again])
    try await reopened.liftBan(again)
    #expect(try await reopened.bans(now: Self.now).isEmpty)
    await reopened.close()
  }

  @Test func `a ban can be changed though there are as many as may be`() async throws {
    let folder = TemporaryDirectory()
    let store = try await StationStore.open(folder.path + "/a.db")
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let list = BanList(store, most: 2, clock: ExpiryClock(), logger: logger)
    let ranges = try ["10.0.0.1", "10.0.0.2", "10.0.0.3"].map { try #require(AddressRange($0)) }
    for range in ranges.dropLast() { _ = try await list.add(range, until: nil, reason: nil) }
    await #expect(throws: RelayError.tooManyBans(2)) {
      try await list.add(ranges[2], until: nil, reason: nil)
    }
    let changed = try await list.add(ranges[0], until: nil, reason: "anew")
    #expect(list.records.map(\.range) == [ranges[1], ranges[0]] && list.records[1] == changed)
    await store.close()
  }
}
