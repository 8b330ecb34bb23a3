import Testing
import Wire

struct HTTPFieldsTests {
  @Test func `names are found in any case, and values in order`() {
    var fields = HTTPFields([("Icy-MetaData", "1"), ("Via", "a"), ("via", "b")])
    #expect(fields["icy-metadata"] == "1")
    #expect(fields["Host"] == nil)
    #expect(fields.all("VIA") == ["a", "b"])
    fields.append("X", "y")
    #expect(fields.list.map(\.name) == ["Icy-MetaData", "Via", "via", "X"])
    fields.set("VIA", "c")
    #expect(fields.list.map(\.value) == ["1", "y", "c"])
    fields.remove("x")
    #expect(fields["X"] == nil)
  }

  @Test(arguments: [
    ("a\u{600},b", ["a\u{600}", "b"]), ("a,\u{301}b", ["a", "\u{301}b"]),
    (",\u{FE0F}", ["", "\u{FE0F}"]),
    ("close\u{110BD}, chunked", ["close\u{110BD}", "chunked"]),
    ("a\u{600}\u{301},b", ["a\u{600}\u{301}", "b"]),
  ])
  func `a comma is a comma, whatever stands beside it`(value: String, tokens: [String]) {
    let fields = HTTPFields([(name: "Connection", value: value)])
    let found = fields.tokens("connection").filter { !$0.isEmpty }.map { Array($0.utf8) }
    #expect(found == tokens.filter { !$0.isEmpty }.map { Array($0.utf8) })
  }

  @Test func `lists of tokens are taken apart`() {
    let fields = HTTPFields([("Connection", "Keep-Alive , TE,"), ("connection", "close")])
    #expect(fields.tokens("Connection") == ["keep-alive", "te", "close"])
  }
}
