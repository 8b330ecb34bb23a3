import Programmes
import Testing
import Wire

@testable import Settings

/// Rules that commands put in place of a programme's own.
@Suite struct RuleChangesTests {
  private let programme = Programme(
    PlayRules(.play(.folder("/srv/music")), order: .shuffle, repeats: .once))

  private func json(_ text: String) throws -> JSON {
    try JSONReader.read(Array(text.utf8), depthMax: 8)
  }

  @Test func `a change holds until it is taken back, beside those made before`() throws {
    var changes = RuleChanges()
    try changes.change(by: json(#"{"order":"newest","separate":{"artist":"5m"}}"#), of: programme)
    try changes.change(by: json(#"{"repeat":"one"}"#), of: programme)
    #expect(changes.names == ["order", "repeat", "separate"])
    let changed = changes.applied(to: programme).rules
    #expect(changed.order == .newest && changed.repeats == .one)
    #expect(changed.separate == Separate(artist: 300, title: 0, album: 0))
    #expect(changed.choice == programme.rules.choice)
    // As it is kept over a restart.
    #expect(RuleChanges(json: changes.json) == changes)
    try changes.change(
      by: json(#"{"order":null,"repeat":null,"separate":null,"fade":null}"#), of: programme)
    #expect(changes == RuleChanges() && changes.applied(to: programme) == programme)
  }

  @Test func `what separate leaves out follows from the order`() throws {
    var changes = RuleChanges()
    try changes.change(by: json(#"{"separate":{"artist":"5m"}}"#), of: programme)
    #expect(changes.rules.separate == Separate(artist: 300, title: 14_400, album: 0))
    #expect(changes.names == ["separate"])
  }

  @Test(arguments: [
    (#"{"ordr":"shuffle"}"#, "ordr: unknown key; did you mean order?"),
    (#"{"ordr":null}"#, "ordr: unknown key; did you mean order?"),
    (#"{"play":"hot"}"#, "play: unknown key; known here: order, repeat,"),
    (#"{"order":"random"}"#, "order: "), (#"{"fade":"1m"}"#, "fade: "),
    (#"{"separate":{"artst":"1m"}}"#, "separate.artst: unknown key"),
  ])
  func `a wrong change changes nothing, and is said by its key`(
    text: String, words: String
  ) throws {
    var changes = RuleChanges()
    let body = try json(text)
    let error = #expect(throws: RelayError.self) {
      try changes.change(by: body, of: programme)
    }
    #expect(error?.description.hasPrefix(words) == true, "\(error?.description ?? "")")
    #expect(changes == RuleChanges())
  }

  @Test func `of what was kept, what is not understood is left out`() throws {
    let kept = try json(#"{"order":"newest","repeat":7,"play":"x","loudness":-99}"#)
    #expect(RuleChanges(json: kept).names == ["order"])
    #expect(RuleChanges(json: .array([])) == RuleChanges())
  }
}
