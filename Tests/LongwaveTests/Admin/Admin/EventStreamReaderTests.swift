import Testing

@testable import Longwave
@testable import LongwaveAdmin

struct EventStreamReaderTests {
  private func read(_ text: String, cutAt cuts: [Int] = []) -> [EventStreamReader.Event] {
    let bytes = Array(text.utf8)
    var reader = EventStreamReader()
    var events: [EventStreamReader.Event] = []
    var start = 0
    for end in cuts + [bytes.count] {
      let piece = Array(bytes[start..<end])
      events += reader.feed(piece.span)
      start = end
    }
    return events
  }

  @Test func `events are read in pieces of any size and with any line ends`() {
    let text =
      ": hello\n\nid: 7\nevent: gap\ndata: {\"a\":1}\n\n\ndata:x\ndata: y\nfoo: z\nbar\n\nevent: lost\n\n"
    let expected: [EventStreamReader.Event] = [
      .init(id: "7", kind: "gap", data: "{\"a\":1}"), .init(id: nil, kind: "message", data: "x\ny"),
    ]
    for end in ["\n", "\r\n", "\r"] {
      let text = text.split(separator: "\n", omittingEmptySubsequences: false).joined(
        separator: end)
      #expect(read(text) == expected)
      #expect(read(text, cutAt: Array(1..<text.utf8.count)) == expected)
      for cut in 0...text.utf8.count { #expect(read(text, cutAt: [cut]) == expected) }
    }
  }

  @Test func `an event without a kind in its data has the kind of its name`() {
    let text =
      "event: missed\ndata: {\"missed\":3}\n\nevent: x\ndata: {\"kind\":\"gap\"}\n\ndata: 7\n\n"
    let shown = read(text).compactMap(\.json?.text)
    #expect(shown == [#"{"kind":"missed","missed":3}"#, #"{"kind":"gap"}"#, "7"])
  }

  @Test func `an event that is not whole is none`() {
    #expect(read("id: 1\ndata: x\n").isEmpty)
  }
}
