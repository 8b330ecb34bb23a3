import Testing
import Wire

struct HTTPQueryTests {
  @Test func `keys and values are decoded in their order`() {
    let query = HTTPQuery(raw: "b=1&a=x%20y&b=2&c&=d&&e=f=g")
    #expect(query.items.map(\.key) == ["b", "a", "b", "c", "", "e"])
    #expect(query["a"] == "x y")
    #expect(query["b"] == "1")
    #expect(query["c"] == "")
    #expect(query["e"] == "f=g")
    #expect(query["none"] == nil)
    #expect(query.count(of: "b") == 2)
    #expect(query.count(of: "none") == 0)
    #expect(query["B"] == nil)
  }

  @Test func `a plus stays a plus`() {
    let query = HTTPQuery(raw: "at=18:00+01:00&to=18:00%2B01:00")
    #expect(query["at"] == "18:00+01:00")
    #expect(query["to"] == "18:00+01:00")
  }

  @Test func `broken escapes and controls do no harm`() {
    let query = HTTPQuery(raw: "a=100%&b=%zz&c=x%0d%0ay%00z&d=caf%E9&e=%4")
    #expect(query["a"] == "100%")
    #expect(query["b"] == "%zz")
    #expect(query["c"] == "x  yz")
    #expect(query["d"] == "café")
    #expect(query["e"] == "%4")
  }

  @Test func `the bytes of a value are there as they came`() {
    let query = HTTPQuery(raw: "a=caf%E9&%61=2&b=x+y%zz&c&d=%EE=&e=é")
    #expect(query.bytes(of: "a") == Array("caf".utf8) + [0xE9])
    #expect(query.bytes(of: "b") == Array("x+y%zz".utf8))
    #expect(query.bytes(of: "c") == [])
    #expect(query.bytes(of: "d") == [0xEE, 0x3D])
    #expect(query.bytes(of: "e") == Array("é".utf8))
    #expect(query.bytes(of: "f") == nil)
  }

  @Test func `a missing query is an empty one`() {
    #expect(HTTPQuery().items.isEmpty)
    #expect(HTTPQuery(raw: "").raw == "")
  }

  @Test func `a plus is a blank where words are asked for, and an escaped one is itself`() {
    let query = HTTPQuery(raw: "a=1&q=one+two%2B%20+&q=three&e=")
    #expect(query.words(of: "q") == "one two+  " && query["q"] == "one+two+ +")
    #expect(query.words(of: "e") == "" && query.words(of: "x") == nil)
  }
}
