import Foundation
import Testing
import Wire

@testable import Programmes

/// The state as it is written down: it comes from a disk, and may be anything.
@Suite struct ProgrammeStateTests {
  private static func text(_ state: ProgrammeState) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(state), as: UTF8.self)
  }

  private static func read(_ text: String) throws -> ProgrammeState {
    try JSONDecoder().decode(ProgrammeState.self, from: Data(text.utf8))
  }

  private static func plan() throws -> Plan {
    var plan = Plan(
      Programme(
        PlayRules(
          .wheel([.init(Music.hot), .init(Music.gold)]), order: .shuffle,
          inserts: [
            InsertRule(Music.jingles, .everyTracks(2)),
            InsertRule(Music.news, .at([MinuteMark(hour: nil, minute: 5)!], .soft)),
          ])),
      [
        Music.hot: Music.catalogue(20, artists: 9), Music.gold: Music.catalogue(7, first: 100),
        Music.jingles: Music.catalogue(3, first: 200, seconds: { _ in 8 }),
        Music.news: Music.catalogue(1, first: 300),
      ])
    _ = plan.items(21)
    try plan.queue([
      .init(source: Music.gold), .init(source: Music.hot, key: Music.key(3), due: 9_000_000),
    ])
    _ = plan.items(1, from: 5_000_000)
    plan.previous(after: 10)
    return plan
  }

  @Test func `what is written down is read as it was, and plays on in the same way`() throws {
    var plan = try Self.plan()
    let text = try Self.text(plan.state)
    let state = try Self.read(text)
    #expect(try Self.text(state) == text)
    var again = Plan(plan.programme, plan.stock, in: .utc, state: state)
    #expect(again.items(40, from: 6_000_000) == plan.items(40, from: 6_000_000))
    // Written down again behind that, it has what it played as its own catalogue orders it.
    #expect(try Self.text(again.state).utf8.count == Self.text(plan.state).utf8.count)
  }

  @Test func `a state is as large as what it must know`() throws {
    var plan = Plan(
      Programme(playing: Music.hot, order: .shuffle),
      [Music.hot: Music.catalogue(1800, artists: 60)])
    _ = plan.items(1799)
    let bytes = try Self.text(plan.state).utf8.count
    print("\(bytes) bytes of state at the end of a cycle of 1,800 tracks")
    #expect(bytes < 64_000)
  }

  @Test(arguments: [
    #"{"seed":-5,"item":-3}"#,
    #"{"seed":9223372036854775807,"item":9223372036854775807,"decided":9223372036854775807,"airing":-9}"#,
    #"{"seed":1,"queue":[{"item":-1,"key":"zz"},{"item":99999999999999999,"source":"folder:x"},7]}"#,
    #"{"seed":1,"cycles":{"shuffle hot":{"number":-7,"played":"zz"}},"turns":{"wheel 1*hot":-9223372036854775808}}"#,
    #"{"seed":1,"sequences":{"sequence hot":{"cycle":-1,"next":9223372036854775807,"recent":"00","skips":""}}}"#,
    #"{"seed":1,"history":"ffffffffffffffff7fffffffffffffff00000000000000010000000000000001","marks":[{"name":"x","since":-1,"last":9223372036854775807,"tracks":-5}]}"#,
    #"{"seed":1,"history":"7fffffffffffffff7fffffffffffffff7fffffffffffffff7fffffffffffffff"}"#,
    #"{"seed":1,"occurrences":"0000000000000001ffffffffffffffff00000000000000010000000000000005"}"#,
    #"{"seed":1,"past":[{"key":"x"},{"source":"folder:","key":"00000000000000000000000000000001"}],"replays":"x"}"#,
    #"{"seed":1,"insertion":{"source":"hot","key":"0","mark":{"name":"","since":-1,"last":9,"tracks":-1}}}"#,
    #"{"seed":1,"insertion":{"source":"hot","key":"00000000000000010000000000000001","occurrence":"ffffffffffffffffffffffffffffffff"}}"#,
    #"{"seed":1,"repeated":{"key":""},"repeatedChoice":7,"version":99,"unknown":[]}"#,
  ])
  func `whatever a state says, it plays`(text: String) throws {
    for order in Order.allCases {
      var plan = try Self.plan()
      var programme = plan.programme
      programme.rules.order = order
      plan = Plan(programme, plan.stock, in: .utc, state: try Self.read(text))
      #expect(plan.state.item >= 0)
      #expect(plan.items(30, from: 1_000_000_000_000).count == 30)
      plan.previous(after: 1)
      #expect(plan.upcoming(from: .max).isEmpty == false)
      #expect(plan.next(at: .min).planned != nil)
      #expect(plan.next(at: .max).planned != nil)
    }
  }

  @Test func `turns beyond all numbers go on`() throws {
    let turns = #"{"seed":1,"turns":{"wheel 1*hot\n1*gold":9223372036854775807}}"#
    let plan = try Self.plan()
    var again = Plan(plan.programme, plan.stock, in: .utc, state: try Self.read(turns))
    let sources = again.items(12).filter { $0.kind == .track }.map(\.source)
    #expect(Set(sources) == [Music.hot, Music.gold])
  }

  @Test func `a state without a seed is none`() {
    #expect(throws: (any Error).self) { try Self.read("{}") }
    #expect(throws: (any Error).self) { try Self.read("[]") }
  }

  @Test func `lists beyond their bounds are cut`() throws {
    func many(_ item: String, _ count: Int) -> String {
      "[" + Array(repeating: item, count: count).joined(separator: ",") + "]"
    }
    let key = Music.key(1).description
    let word = "0000000000000001"
    let text =
      #"{"seed":1,"queue":"# + many(#"{"item":1,"key":"\#(key)"}"#, 2000)
      + #","past":"# + many(#"{"key":"\#(key)"}"#, 2000)
      + #","history":"\#(String(repeating: word, count: 8000))""#
      + #","occurrences":"\#(String(repeating: word, count: 20_000))"}"#
    let state = try Self.read(text)
    #expect(state.queue.count == ProgrammeState.queueMax)
    #expect(state.past.count == ProgrammeState.pastMax)
    #expect(state.history.entries.count == History.entriesMax)
    #expect(state.occurrences.count <= ProgrammeState.occurrencesMax)
  }

  @Test func `two days of occurrences are kept, and no more`() {
    var plan = Plan(
      Programme(
        PlayRules(
          .play(Music.hot),
          inserts: [InsertRule(Music.news, .at([MinuteMark(hour: nil, minute: 0)!], .soft))])),
      [Music.hot: Music.catalogue(20), Music.news: Music.catalogue(1, first: 300)])
    _ = plan.items(4000)
    #expect((48...72).contains(plan.state.occurrences.count))
  }
}
