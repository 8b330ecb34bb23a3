import TestSupport
import Testing

@testable import Wire

@Suite struct XMLNodeTests {
  private func node(_ text: String) -> XMLNode? { XMLNode(Array(text.utf8)) }

  @Test func `a document is a tree of its elements`() {
    let root = node(
      "<?xml version=\"1.0\"?><!-- <x/> --><A><b k='1&amp;2'> one </b><b>two<c/>three</b><d/></A>")
    #expect(root?.name == "a")
    #expect(root?.all("b").map(\.text) == ["one", "twothree"])
    #expect(root?.child("b")?.attributes == ["k": "1&2"])
    #expect(root?.value("b") == "one" && root?.value("d") == nil && root?.value("x") == nil)
    #expect(root?.all("b").last?.children.map(\.name) == ["c"])
  }

  @Test(arguments: [
    ("<a><b>x", 1), ("<a><b>x</a>", 1), ("<a></x><b>x</b></a>", 1), ("<a><b>x</b></a></a><z/>", 1),
    ("<a><b>x</b><b/></b></a>", 2),
  ])
  func `badly nested XML is read as far as it goes`(text: String, count: Int) {
    #expect(node(text)?.all("b").count == count && node(text)?.value("b") == "x")
  }

  @Test(arguments: ["", "just text", "<!-- a -->", String(repeating: "<a>", count: 100)])
  func `a text without an element, or nested too deep, is no XML document`(text: String) {
    #expect(node(text) == nil)
  }

  @Test func `blanks may stand before the end of a tag`() {
    let root = node("<a ><b k='1' /><c\n><d / >x</d></c\n><e /></a>")
    #expect(root?.children.map(\.name) == ["b", "c", "e"])
    #expect(root?.child("b")?.attributes == ["k": "1"])
    #expect(root?.child("c")?.value("d") == "x")
  }

  private func fault(_ text: String) -> XMLFault? { XMLFault(in: Array(text.utf8)) }

  @Test(arguments: [
    "<?xml version='1.0'?>\n<!DOCTYPE a [ <!ENTITY x \"y\"> ]>\n<a/>\n<!-- end -->\n",
    "\u{FEFF}<a b='<c>' d=\"/\"><!-- </a> --><![CDATA[<e></a>]]><f />&lt;</a>\r\n",
    "<ns:a><ns:b\n></ns:b\n></ns:a><?ns b?>",
  ])
  func `a whole document has no fault`(text: String) {
    #expect(fault(text) == nil)
  }

  @Test func `a document that is cut says where, whatever is cut`() {
    let text = "<?xml version='1.0'?>\n<a>\n<!-- x -->\n<b c='d'/>\n<e>f<![CDATA[g]]></e>\n</a>"
    for end in text.indices where text[..<end].contains("<a>") {
      let cut = String(text[..<end])
      #expect(fault(cut)?.isEnd == true, "\(cut)")
    }
    #expect(fault("<a>\n<b>\n<c>x\n\n")?.description == "ends inside <c> of line 3")
    #expect(fault("<a>\n<b>\n<c>x\n\n")?.line == 3)
    #expect(fault("<a>\n</a>\n<!-- ")?.line == 3)
  }

  @Test(arguments: [
    ("<a>\n<b>\nx</a>", "</a> stands where <b> of line 2 should end", 3),
    ("<a/>\n</a>", "</a> ends nothing", 2), ("<a/>\n\n<b/>", "<b> stands behind the end", 3),
  ])
  func `tags that do not fit one another are a fault of their line`(
    text: String, words: String, line: Int
  ) {
    #expect(fault(text)?.description.hasPrefix(words) == true)
    #expect(fault(text)?.line == line && fault(text)?.isEnd == false)
  }

  @Test func `a broken XML document gives no more nodes than it has bytes`() {
    let seed: UInt64 = 7
    var random = SplitMix(seed: seed)
    let text = Array("<i><r a=\"1\"><s>x</s></r><m t='&lt;'><n>/y</n></m><!-- c --></i>".utf8)
    for round in 0..<2000 {
      let bytes = random.mutated(text)
      func count(_ node: XMLNode) -> Int { node.children.reduce(1) { $0 + count($1) } }
      let nodes = XMLNode(bytes).map(count) ?? 0
      #expect(nodes <= bytes.count, "seed \(seed), round \(round)")
    }
  }
}
