import TestSupport
import Testing
import Timeshift

@testable import Ingest

/// An upstream sends the same to whoever connects, as Icecast's `<intro>`, and then its programme from its newest packet
/// on.
@Suite struct IntroTests {
  typealias Connection = AppenderModel.Connection

  private func isIntro(_ content: Int) -> Bool { content >= AppenderModel.own }

  @Test(arguments: [2.0, 5, 20], [1.0, 3, 40])
  func `an intro is left out on reconnect, and the loss is told`(intro: Double, away: Double) throws
  {
    let model = AppenderModel()
    model.wait(100)
    let connection = Connection(burst: 0, lasts: 30, own: intro, isOwnSame: true)
    model.play(connection)
    for number in 1...3 {
      model.wait(away)
      model.play(connection)
      let back = try #require(model.reconnections.last)
      #expect(model.reconnections.count == number)
      #expect(abs(back.lostSeconds - away) < 0.1 && back.insertedSeconds == 0, "\(back)")
      #expect(abs((model.gaps.last?.seconds ?? 0) - away) < 0.1, "\(model.gaps)")
    }
    let heard = model.heard
    #expect(heard.count(where: isIntro) == Int(intro / AppenderModel.packet))
    #expect(heard.prefix(10).allSatisfy(isIntro))
    #expect(model.held < 1)
  }

  @Test func `a burst behind an intro joins without a loss`() throws {
    let model = AppenderModel()
    model.wait(100)
    let connection = Connection(burst: 6, lasts: 30, own: 5, isOwnSame: true)
    model.play(connection)
    model.wait(2)
    model.play(connection)
    let back = try #require(model.reconnections.last)
    #expect(back.lostSeconds == 0 && back.insertedSeconds == 0)
    #expect(model.heard.count(where: isIntro) == Int(5 / AppenderModel.packet))
    #expect(model.faults.twice == 0 && model.faults.missing == 0)
  }

  @Test func `a connection that ends inside the intro unlearns nothing`() throws {
    let model = AppenderModel()
    model.wait(100)
    let connection = Connection(burst: 0, lasts: 30, own: 5, isOwnSame: true)
    model.play(connection)
    model.wait(1)
    var short = connection
    (short.own, short.lasts) = (2, 0.02)
    model.play(short)
    model.wait(1)
    model.play(connection)
    let intro = Int(5 / AppenderModel.packet)
    #expect(model.heard.count(where: isIntro) == intro, "\(model.reconnections)")
  }

  @Test func `an intro that differs from the last one is heard`() {
    let model = AppenderModel()
    model.wait(100)
    for _ in 0..<2 {
      model.play(Connection(burst: 0, lasts: 30, own: 5))
      model.wait(1)
    }
    #expect(model.heard.count(where: isIntro) == 2 * Int(5 / AppenderModel.packet))
  }

  @Test func `equal silence in front is no intro`() {
    var intro = Intro()
    let now = ManualClock().now.sinceBoot
    func arrive(_ hashes: [UInt32]) -> [Int?] {
      intro.begin("http://h/a")
      return hashes.map { intro.arrive($0, seconds: 0.024, packetsMin: 8, at: now) }
    }
    let silence = [UInt32](repeating: 7, count: 50)
    #expect(arrive(silence + [1, 2, 3]).allSatisfy { $0 == nil })
    #expect(arrive(silence + [4, 5, 6]).allSatisfy { $0 == nil })
  }

  @Test func `an intro is known by what differs behind it, of each URL by itself`() {
    var intro = Intro()
    let now = ManualClock().now.sinceBoot
    func arrive(_ url: String, _ hashes: [UInt32]) -> Int? {
      intro.begin(url)
      return hashes.compactMap { intro.arrive($0, seconds: 0.024, packetsMin: 8, at: now) }.first
    }
    let own = Array(UInt32(100)..<120)
    #expect(arrive("http://h/a?session=1", own + [1, 2]) == nil)
    #expect(arrive("http://h/b", own + [3, 4]) == nil)
    #expect(arrive("http://h/a?session=2", own + [5, 6]) == 20)
    // The same to the end: the upstream has stood still.
    #expect(arrive("http://h/a", own + [5, 6]) == nil)
    #expect(arrive("http://h/a", own + [5, 6, 7, 8]) == nil)
    #expect(arrive("http://h/a", Array(own.prefix(7)) + [9]) == nil)
    for number in 0..<9 { #expect(arrive("http://h/\(number)", own) == nil) }
    #expect(arrive("http://h/b", own + [10]) == nil)
    #expect(arrive("http://h/8", own + [10]) == nil)
  }
}
