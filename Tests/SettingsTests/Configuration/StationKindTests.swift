import Ingest
import Programmes
import Reactor
import Testing

@testable import Settings

@Suite struct StationKindTests {
  private static let pulled: [StationSource] = [
    .upstream(["http://h/live"]), .upstream(["http://h/live", PushSource.url]),
    .command(ProgramCall(["cat"], in: "/")),
  ]
  private static let jazzLater = StationSource.copy(of: "jazz", delay: 60)
  private static let jazzSmall = StationSource.rendition(of: "jazz")
  private static let files = StationSource.files("/srv", throttleBypass: nil)
  private static let programme = StationSource.programme(Programme(playing: .folder("/srv")))

  @Test func `a station's kind says what fills its log and what it is made of`() throws {
    let input = try #require(SoundInput("alsa:hw:0"))
    let rows: [(StationSource, StationKind.FillerName?, parent: String?, word: String)] =
      Self.pulled.prefix(2).map { ($0, .ingest, nil, "push:") } + [
        (Self.pulled[2], .ingest, nil, "command:"), (.soundInput(input), .ingest, nil, "alsa:"),
        (Self.jazzLater, nil, "jazz", "of:"), (Self.jazzSmall, .rendition, "jazz", "of:"),
        (Self.files, nil, nil, "files:"), (Self.programme, .programme, nil, "programme:"),
      ]
    for (source, filler, parent, word) in rows {
      let kind = source.kind
      #expect(kind.filler == filler && kind.parent == parent && kind.word == word)
      let isPulled = filler == .ingest
      #expect(kind.takesTitles == isPulled)
      #expect((kind.noOriginal == nil) == (isPulled || source == Self.programme))
      #expect(kind.isRendition == (source == Self.jazzSmall))
      #expect(kind.takesSources == (source == Self.pulled[1]))
      let isOfMachine = ["command:", "alsa:"].contains(word)
      #expect((kind.refusal != nil) == isOfMachine)
    }
  }

  @Test func `a pulled station may change its upstream, and no station its kind`() {
    let kinds = [Self.pulled, [Self.jazzLater], [Self.jazzSmall], [Self.files], [Self.programme]]
    for (index, sources) in kinds.enumerated() {
      for (other, others) in kinds.enumerated() {
        for (source, another) in zip(sources, others.reversed()) {
          #expect(source.kind.isSame(as: another.kind) == (index == other))
          #expect(source.kind.hasLog(of: another.kind) == (index == other))
        }
      }
    }
  }

  @Test func `a copy of another station needs another log, a rendition of one does not`() {
    let rockLater = StationSource.copy(of: "rock", delay: 60).kind
    #expect(rockLater.isSame(as: Self.jazzLater.kind) && !rockLater.hasLog(of: Self.jazzLater.kind))
    #expect(StationSource.rendition(of: "rock").kind.hasLog(of: Self.jazzSmall.kind))
  }
}
