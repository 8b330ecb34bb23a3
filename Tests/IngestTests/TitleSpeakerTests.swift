import Testing
import Timeshift

@testable import Ingest

@Suite struct TitleSpeakerTests {
  private static func encoder(_ name: String, agent: String = "butt") -> TitleSpeaker {
    .encoder(address: "192.0.2.1", agent: agent, name: name)
  }

  @Test func `an encoder goes on with its title for two minutes, an upstream for ever`() {
    let one = Self.encoder("One")
    #expect(one.continues(one, away: .exactly(120)))
    #expect(one.continues(nil, away: .exactly(120)) && one.continues(nil, away: nil))
    #expect(!one.continues(one, away: .exactly(121)) && !one.continues(nil, away: .atLeast(1)))
    for other in [Self.encoder("Two"), Self.encoder("One", agent: "Mixxx"), .upstream("push:")] {
      #expect(!one.continues(other, away: .exactly(1)))
    }
    let pulled = TitleSpeaker.upstream("http://x/")
    #expect(pulled.continues(pulled, away: .exactly(9999)) && pulled.continues(nil, away: nil))
    #expect(!pulled.continues(.upstream("http://y/"), away: .exactly(1)))
    #expect(!pulled.continues(one, away: .exactly(1)))
  }

  private func watch(_ next: TitleSpeaker, metaint: Int? = nil) -> SpeakerWatch {
    var watch = SpeakerWatch()
    watch.connectionBegins()
    watch.opened(.upstream("http://x/"), metaint: nil, away: nil)
    _ = watch.begins(with: 100)
    watch.connectionBegins()
    watch.opened(next, metaint: metaint, away: .exactly(5))
    return watch
  }

  @Test func `the last title ends with another speaker's first packet, once`() {
    var watch = watch(Self.encoder("One"))
    watch.arrived(bytes: 100)
    let ended = [watch.begins(with: 100), watch.begins(with: 100)]
    #expect(ended == [true, false])
  }

  @Test func `a title does not end where its next speaker said one, or its audio goes on`() {
    var watch = watch(Self.encoder("One"))
    watch.spoke()
    var same = self.watch(.upstream("http://x/"))
    let ended = [watch.begins(with: 100), same.begins(with: 100)]
    #expect(ended == [false, false])
    var early = SpeakerWatch()
    early.opened(.upstream("http://x/"), metaint: nil, away: nil)
    _ = early.begins(with: 1)
    early.connectionBegins()
    // An encoder's request may come before its first audio.
    early.spoke()
    early.opened(Self.encoder("One"), metaint: nil, away: .exactly(5))
    let hasEnded = early.begins(with: 1)
    #expect(!hasEnded)
  }

  @Test func `an upstream with title blocks has until its first block`() {
    var watch = watch(.upstream("http://y/"), metaint: 250)
    var ended: [Bool] = []
    for _ in 0..<4 {
      watch.arrived(bytes: 100)
      ended.append(watch.begins(with: 100))
    }
    #expect(ended == [false, false, false, true])
  }
}
