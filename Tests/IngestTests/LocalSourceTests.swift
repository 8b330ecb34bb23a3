import TestSupport
import Testing
import Timeshift
import Wire

@testable import Ingest

/// A file that is played over and over, found in its bytes.
@Suite struct LocalSourceTests {
  private func marks(_ feed: Feed) -> (packets: Int, marks: [String]) {
    let tap = Tap(feed.log, from: .oldest)
    var (packets, marks): (Int, [String]) = (0, [])
    while case .item(let item) = tap.read() {
      switch item {
      case .packet: packets += 1
      case .gap(let mark): marks.append("\(packets) gap \(mark.seconds)")
      case .format(let mark): marks.append("\(packets) \(mark.format.codec)")
      case .title(let mark): marks.append("\(packets) \(mark.title.text)")
      case .missed: marks.append("missed")
      }
    }
    return (packets, marks)
  }

  private func feed() -> Feed {
    Feed(LogWriter(memoryOnly: LogConfiguration(), at: .now()))
  }

  @Test
  func `what is late is told of in front of its first packet, whatever comes before that`() {
    let begin = Moment.now()
    let feed = Feed(LogWriter(memoryOnly: LogConfiguration(), at: begin), lead: 2)
    let source = LocalSource(feed)
    source.whenLate = { feed.markGap(seconds: $0.rounded(), cause: .upstreamAway) }
    source.read(NumberedFrames.stream(0..<4), at: begin)
    let late = begin.adding(seconds: 10)
    source.read([UInt8](repeating: 0, count: 100_000), at: late)
    #expect(!marks(feed).marks.contains { $0.hasSuffix("gap 10.0") })
    source.read(NumberedFrames.stream(4..<8), at: late)
    _ = source.fileEnded(at: late)
    let found = marks(feed)
    #expect(found.packets == 8 && found.marks.filter { $0.hasSuffix("gap 10.0") } == ["4 gap 10.0"])
  }

  @Test func `a local file's end and next beginning have a mark between them, and lose no packet`()
  {
    let feed = feed()
    let source = LocalSource(feed)
    let file = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 0] + NumberedFrames.stream(0..<50)
    for _ in 0..<2 {
      var rest = file[...]
      while !rest.isEmpty {
        source.read(Array(rest.prefix(1000)), at: .now())
        rest = rest.dropFirst(1000)
      }
      #expect(source.fileEnded(at: .now()))
    }
    source.read(file, at: .now())
    let found = marks(feed)
    #expect(found.packets >= 145 && found.marks == ["0 mp3", "50 gap 0.0", "100 gap 0.0"])
  }

  @Test func `of a file no packet is fed behind the sample at which it ends`() {
    let feed = feed()
    let source = LocalSource(feed)
    source.begin(behind: 10 * 1152)
    source.until = 30 * 1152
    source.read(NumberedFrames.stream(0..<30), at: .now())
    #expect(!source.isOver)
    source.read(NumberedFrames.stream(30..<40), at: .now())
    #expect(source.isOver && numbers(feed) == Array(10..<30))
    // The next file is another one.
    source.begin()
    source.read(NumberedFrames.stream(100..<150), at: .now())
    #expect(!source.isOver && numbers(feed) == Array(10..<30) + Array(100..<150))
  }

  @Test func `a file without audio is told`() {
    let source = LocalSource(feed())
    source.read([UInt8](repeating: 0, count: 20_000), at: .now())
    #expect(!source.fileEnded(at: .now()))
  }

  /// The numbers of the packets that are in a log.
  private func numbers(_ feed: Feed) -> [UInt64] {
    let tap = Tap(feed.log, from: .oldest)
    var numbers: [UInt64] = []
    while case .item(let item) = tap.read() {
      if case .packet(let packet) = item {
        numbers.append(NumberedFrames.number(of: Array(packet.bytes)) ?? .max)
      }
    }
    return numbers
  }

  @Test func `a file goes on behind the packets that were heard, and is left where it is cut`() {
    let feed = feed()
    let source = LocalSource(feed, readsTitles: false)
    source.begin(behind: 30 * 1152)
    source.read(NumberedFrames.stream(0..<50), at: .now())
    #expect(source.fileEnded(at: .now()))
    source.read(NumberedFrames.stream(100..<120), at: .now())
    source.cut()
    source.read(NumberedFrames.stream(200..<210), at: .now())
    #expect(source.fileEnded(at: .now()))
    let numbers = numbers(feed)
    #expect(numbers == Array(30..<50) + Array(100..<UInt64(numbers.count + 70)) + Array(200..<210))
    #expect(numbers.count >= 48)
    // The third stands behind the last packet, where nobody reads yet.
    #expect(marks(feed).marks == ["0 mp3", "20 gap 0.0", "\(numbers.count - 10) gap 0.0"])
  }

  @Test func `a file of which all was heard leaves no mark`() {
    let feed = feed()
    let source = LocalSource(feed)
    source.begin(behind: 50 * 1152)
    source.read(NumberedFrames.stream(0..<50), at: .now())
    #expect(source.fileEnded(at: .now()))
    #expect(marks(feed).marks.isEmpty)
  }

  @Test func `packets of another format than the one that is fed are left out and told`() {
    let feed = feed()
    let source = LocalSource(feed)
    source.format = AudioFormat(codec: .mp3, sampleRate: 8000, channels: 1)
    source.read(NumberedFrames.stream(0..<50), at: .now())
    #expect(source.strange?.codec == .mp3)
    #expect(marks(feed).packets == 0)
    source.cut()
    #expect(source.strange == nil)
  }
}
