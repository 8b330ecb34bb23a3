import Testing
import Timeshift
import Wire

@testable import Ingest

@Suite struct FormatWatchTests {
  private static let formats = [44_100, 48_000].map {
    AudioFormat(codec: .mp3, sampleRate: $0, channels: 2)
  }

  private func at(_ seconds: Double) -> MonotonicTime {
    MonotonicTime(nanoseconds: Int64((1000 + seconds) * 1e9))
  }

  /// How many changes pass that come so many seconds from each other; nil: all of 1,000.
  private func changes(every seconds: Double) -> Int? {
    var watch = FormatWatch()
    for number in 0...1000 {
      let format = Self.formats[number % 2]
      if !watch.admits(format, nil, at: at(Double(number) * seconds)) { return number - 1 }
    }
    return nil
  }

  @Test func `changes of format pass up to twenty in ten seconds`() {
    #expect(changes(every: 0) == 18)
    #expect(changes(every: 0.1) == 18)
    #expect(changes(every: 0.5) == 19)
  }

  @Test func `a rate that flips every second is noticed, a jingle every ten seconds passes`() {
    #expect((20...30).contains(changes(every: 1) ?? 0))
    #expect(changes(every: 5) == nil)
    #expect(changes(every: 10) == nil)
  }

  @Test func `packets of one format are no changes`() {
    var watch = FormatWatch()
    let passed = (0..<10_000).count { watch.admits(Self.formats[0], nil, at: at(Double($0) / 40)) }
    #expect(passed == 10_000)
  }

  @Test func `a connection with too many changes passes nothing, the next one one change`() {
    var watch = FormatWatch()
    var number = 0
    while watch.admits(Self.formats[number % 2], nil, at: at(0)) { number += 1 }
    let isOver = watch.isExceeded
    let later = watch.admits(Self.formats[0], nil, at: at(60))
    #expect(isOver && !later)
    watch.begin()
    let (next, after) = (Self.formats[number % 2], Self.formats[(number + 1) % 2])
    let passed = [next, next, after].map { watch.admits($0, nil, at: at(0)) }
    #expect(passed == [true, true, false])
  }

  @Test func `a new connection does not forgive changes that were not yet too many`() {
    var watch = FormatWatch()
    let passed = (0...19).map { number in
      watch.begin()
      return watch.admits(Self.formats[number % 2], nil, at: at(0))
    }
    #expect(passed == [Bool](repeating: true, count: 19) + [false])
  }

  /// How many links pass that come so many seconds from each other; nil: all of 5,000.
  private func links(every seconds: Double) -> Int? {
    var watch = FormatWatch()
    for number in 0..<5000 {
      watch.linkBegins(at: at(Double(number) * seconds))
      if watch.isExceeded { return number }
    }
    return nil
  }

  @Test func `links without end are too many though one decoder can play them`() {
    #expect(links(every: 0) == 120)
    #expect((120...200).contains(links(every: 0.1) ?? 0))
  }

  @Test func `a link every second is somebody's programme, however long`() {
    #expect(links(every: 1) == nil)
  }
}
