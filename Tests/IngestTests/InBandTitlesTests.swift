import Testing
import Wire

@testable import Ingest

@Suite struct InBandTitlesTests {
  private var titles = InBandTitles(TitleReader(UpstreamSettings(urls: [])))

  private func block(_ text: String) -> [UInt8] {
    Array(ICYBlock.bytes(for: Title(text: text)).dropFirst())
  }

  private func comments(_ text: String?) -> VorbisComments {
    VorbisComments(fields: text.map { [.init(key: "TITLE", value: $0)] } ?? [])
  }

  @Test mutating func `a title belongs to the packet in whose bytes its block stood`() {
    titles.read(block: block("A"), at: 100)
    #expect(titles.next(before: 100) == nil)
    #expect(titles.next(before: 101)?.text == "A")
    #expect(titles.next(before: 1000) == nil)
  }

  @Test mutating func `the newest of two titles in one packet counts`() {
    titles.read(block: block("A"), at: 10)
    titles.read(block: block("B"), at: 20)
    titles.read(block: block("C"), at: 90)
    #expect(titles.next(before: 50)?.text == "B")
    #expect(titles.next(before: 100)?.text == "C")
  }

  @Test mutating func `a block without a text keeps the text before it`() {
    titles.read(block: block("A"), at: 10)
    titles.read(block: Array("StreamUrl='http://x/a.jpg';".utf8), at: 20)
    let title = titles.next(before: 50)
    #expect(title?.text == "A" && title?.url == "http://x/a.jpg")
  }

  @Test mutating func `a link without comments ends the title of the one before, and of nothing`() {
    titles.read(comments: comments(nil), at: 0)
    #expect(titles.next(before: 10) == nil)
    titles.read(comments: comments("A"), at: 10)
    titles.read(comments: comments(nil), at: 50)
    #expect(titles.next(before: 40)?.text == "A")
    #expect(titles.next(before: 60)?.text == "")
  }

  @Test mutating func `comments go in front of blocks that stand behind them`() {
    titles.read(block: block("B"), at: 50)
    titles.read(comments: comments("A"), at: 10)
    #expect(titles.next(before: 20)?.text == "A")
    #expect(titles.next(before: 60)?.text == "B")
  }

  @Test mutating func `places follow a buffer that loses its beginning`() {
    titles.read(block: block("A"), at: 100)
    titles.dropped(60)
    #expect(titles.next(before: 40) == nil)
    titles.dropped(1000)
    #expect(titles.next(before: 1)?.text == "A")
  }
}
