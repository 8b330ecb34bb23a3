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
  func `what is badly nested is read as far as it goes`(text: String, count: Int) {
    #expect(node(text)?.all("b").count == count && node(text)?.value("b") == "x")
  }

  @Test(arguments: ["", "just text", "<!-- a -->", String(repeating: "<a>", count: 100)])
  func `what is no document is none`(text: String) {
    #expect(node(text) == nil)
  }

  @Test func `no document, however broken, harms`() {
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
