import Testing
import Wire

@testable import Library

@Suite struct CollectionRuleTests {
  @Test(arguments: [
    #"{"all":[{"is":{"genre":"jazz"}},{"inTheLast":{"added":30}}],"sort":"-added","limit":500}"#,
    #"{"any":[{"all":[{"gt":{"year":1979}},{"lt":{"year":1990}}]},{"contains":{"title":"\"a\\b\n"}}],"sort":"random"}"#,
    #"{"all":[{"inTheRange":{"seconds":[60,300.5]}},{"notInCollection":"jingles"},{"is":{"lyrics":true}}]}"#,
    #"{"all":[{"startsWith":{"path":"Rock/"}},{"after":{"added":"2024-01-31T00:00:00Z"}}],"sort":"artist,-year"}"#,
    #"{"all":[]}"#,
  ])
  func `a rule is written as it was read`(text: String) throws {
    let rule = try CollectionRule(text)
    #expect(try CollectionRule(rule.text) == rule)
    #expect(!text.contains("2024") || rule.text.contains("2024-01-31T00:00:00"))
  }

  @Test func `a smart playlist of Navidrome is read`() throws {
    let rule = try CollectionRule(
      #"""
      {"name": "Recent", "comment": "x",
       "all": [{"inTheLast": {"dateadded": 30}}, {"isNot": {"albumartist": "Various"}},
               {"any": [{"is": {"genre": "Jazz"}}, {"inPlaylist": {"id": "hot"}}]},
               {"after": {"dateadded": "2024-01-31"}}],
       "sort": "dateadded", "order": "desc", "limit": 25}
      """#)
    #expect(
      rule.text
        == #"{"all":[{"inTheLast":{"added":30}},{"isNot":{"albumArtist":"Various"}},"#
        + #"{"any":[{"is":{"genre":"Jazz"}},{"inCollection":"hot"}]},"#
        + #"{"after":{"added":"2024-01-31T00:00:00.000Z"}}],"sort":"-added","limit":25}"#)
    #expect(rule.collections == ["hot"])
  }

  @Test(arguments: [
    ("[]", "is no object"), ("{", "is no JSON: the text"), ("{}", "needs all or any"),
    (#"{"all":[],"any":[{"is":{"title":"a"}}]}"#, "has all and any"),
    (#"{"any":[]}"#, "any: is empty"), (#"{"all":[3]}"#, "all[0]: is no condition"),
    (#"{"all":[{"is":{"genre":"a","year":1}}]}"#, "all[0].is: has not one field"),
    (#"{"all":[{"is":{"year":1}},{"is":{"mood":"a"}}]}"#, "all[1].is.mood: is none of the fields"),
    (#"{"all":[{"like":{"title":"a"}}]}"#, "all[0].like: is none of all, any"),
    (#"{"all":[{"gt":{"title":"a"}}]}"#, "all[0].gt.title: cannot be asked with gt"),
    (#"{"all":[{"any":[{"is":{"year":"a"}}]}]}"#, "all[0].any[0].is.year: is no number"),
    (#"{"all":[{"inTheRange":{"year":[1]}}]}"#, "all[0].inTheRange.year: is no list of two"),
    (#"{"all":[{"before":{"added":"soon"}}]}"#, "all[0].before.added: is no date"),
    (#"{"all":[],"limit":0}"#, "limit: is no number from 1"),
    (#"{"all":[],"sort":"mood"}"#, "sort: mood is no field"),
    (#"{"all":[],"order":"up"}"#, "order: is neither"), (#"{"all":[],"x":1}"#, "x: is no key"),
  ])
  func `what is wrong with a rule is said with its place`(_ text: String, _ words: String) {
    #expect {
      try CollectionRule(text)
    } throws: { "\($0)".hasPrefix(words) }
  }

  @Test func `a rule has bounds`() {
    let deep = String(repeating: #"{"all":["#, count: 20) + String(repeating: "]}", count: 20)
    #expect { try CollectionRule(deep) } throws: { "\($0)".hasSuffix("is nested too deeply") }
    let tests = [String](repeating: #"{"is":{"year":1}}"#, count: CollectionRule.testsMax + 1)
    let wide = #"{"all":["# + tests.joined(separator: ",") + "]}"
    #expect { try CollectionRule(wide) } throws: { "\($0)".contains("one test too many") }
    let long = #"{"all":[],"name":""# + String(repeating: "a", count: CollectionRule.bytesMax)
    #expect { try CollectionRule(long) } throws: { "\($0)".contains("is longer than 64 KiB") }
  }
}
