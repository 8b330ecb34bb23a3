import Audio
import Glibc
import TestSupport
import Testing
import Threads
import Wire

@testable import Longwave
@testable import Timeshift

/// What a programme gets of another station.
struct StationTakeTests {
  /// A station that plays a tone or silence: MP3 at 128 kbit/s in stereo.
  private final class Studio {
    let log = PacketLog(memoryOnly: LogConfiguration(), at: .now())
    let format: AudioFormat
    private let tone: [[UInt8]]
    private let rest: [[UInt8]]
    private var packets = 0

    init(sampleRate: Int) throws {
      format = AudioFormat(codec: .mp3, sampleRate: sampleRate, channels: 2)
      tone = try Self.frames(sampleRate, amplitude: 8000)
      rest = try Self.frames(sampleRate, amplitude: 0)
    }

    private static func frames(_ rate: Int, amplitude: Double) throws -> [[UInt8]] {
      let encoder = try LameEncoder(
        sampleRate: rate, channels: 2, bitrate: 128, usesReservoir: false)
      let samples = (0..<(10 * rate)).flatMap { index in
        [Int16](
          repeating: Int16(amplitude * sin(2 * .pi * 440 * Double(index) / Double(rate))), count: 2)
      }
      let bytes = try encoder.encode(samples) + encoder.finish()
      let packets = LogPackets(frames: bytes)?.packets ?? []
      return packets.dropFirst(10).prefix(300).map(\.bytes)
    }

    /// Plays so many seconds at once.
    @discardableResult
    func play(
      _ seconds: Double, isSilent: Bool = false, like other: Studio? = nil
    ) -> [[UInt8]] {
      let format = other?.format ?? format
      let frames = other?.tone ?? (isSilent ? rest : tone)
      let count = Int((seconds * Double(format.sampleRate) / 1152).rounded(.up))
      let played = (0..<count).map { frames[(packets + $0) % frames.count] }
      for frame in played { log.append(frame.span, samples: 1152, format: format) }
      packets += count
      log.publish(at: .now())
      return played
    }
  }

  private func take(
    _ studio: Studio, _ change: (inout StationTake.Wish) -> Void = { _ in }
  ) -> StationTake {
    var wish = StationTake.Wish(station: "studio")
    change(&wish)
    return StationTake(studio.log, wish, makeDecoder: PacketDecoder.make)
  }

  /// Runs the job until there is nothing more to read.
  private func turn(_ take: StationTake) {
    while let due = take.run(at: .now()), due <= .now() {}
  }

  private struct Taken {
    var packets: [[UInt8]] = []
    var formats: Set<AudioFormat> = []
    var titles: [(title: String, behind: Int)] = []
    var gaps: [Double] = []
  }

  private func taken(_ take: StationTake) -> Taken {
    var taken = Taken()
    while let piece = take.next() {
      switch piece {
      case .packet(let bytes, _, let format):
        taken.packets.append(bytes)
        taken.formats.insert(format)
      case .title(let title): taken.titles.append((title.text, taken.packets.count))
      case .gap(let seconds, _): taken.gaps.append(seconds)
      case .pages: break
      }
    }
    return taken
  }

  @Test func `a station plays once it has played for 2 s, and is heard from its first packet`()
    throws
  {
    let studio = try Studio(sampleRate: 44_100)
    let take = take(studio) { $0.format = studio.format }
    turn(take)
    #expect(!take.isPlaying(at: .now()))
    studio.log.markTitle(Title(text: "Hello"))
    var played = studio.play(1.5)
    turn(take)
    #expect(!take.isPlaying(at: .now()))
    played += studio.play(0.6)
    turn(take)
    #expect(take.isPlaying(at: .now()))
    #expect(taken(take).packets.isEmpty, "nothing is kept for who does not play it")
    take.goOnAir()
    turn(take)
    played += studio.play(1)
    studio.log.markTitle(Title(text: "Again"))
    played += studio.play(1)
    turn(take)
    let taken = taken(take)
    // It begins 2 s in the past; the first packets are further back than that.
    #expect(taken.packets == played.suffix(taken.packets.count))
    #expect((played.count - 6..<played.count).contains(taken.packets.count))
    #expect(taken.titles.map(\.title) == ["Hello", "Again"])
    #expect(taken.titles.last?.behind == taken.packets.count - 39)
  }

  @Test func `a station that has played for hours is heard 2 s in the past`() throws {
    let studio = try Studio(sampleRate: 44_100)
    let take = take(studio) { $0.format = studio.format }
    turn(take)
    studio.play(60)
    turn(take)
    take.goOnAir()
    turn(take)
    #expect((76...79).contains(taken(take).packets.count))
  }

  @Test func `another rate is encoded, and the titles stay with what is heard`() throws {
    let studio = try Studio(sampleRate: 48_000)
    let take = take(studio) {
      $0.format = AudioFormat(codec: .mp3, sampleRate: 44_100, channels: 2)
      $0.encoding = PCMEncoding()
      $0.encoding?.sampleRate = 44_100
    }
    turn(take)
    studio.play(4)
    turn(take)
    take.goOnAir()
    turn(take)
    studio.play(4)
    studio.log.markTitle(Title(text: "Half"))
    studio.play(4)
    turn(take)
    let taken = taken(take)
    let format = AudioFormat(codec: .mp3, sampleRate: 44_100, channels: 2)
    #expect(taken.formats == [format])
    let seconds = Double(taken.packets.count) * 1152 / 44_100
    #expect((9.7...10.3).contains(seconds))
    let before = Double(taken.titles.first { $0.title == "Half" }?.behind ?? 0) * 1152 / 44_100
    #expect((5.8...6.2).contains(before))
  }

  @Test func `a format that cannot be made to fit is refused in words`() throws {
    let studio = try Studio(sampleRate: 48_000)
    let take = take(studio) {
      $0.format = AudioFormat(codec: .opus, sampleRate: 48_000, channels: 2)
    }
    turn(take)
    studio.play(3)
    turn(take)
    #expect(take.refusal == "sends mp3 at 48000 Hz, which the programme cannot play")
    #expect(!take.isPlaying(at: .now()))
  }

  @Test func `another format is tried anew after one that was refused`() throws {
    let (studio, other) = (try Studio(sampleRate: 48_000), try Studio(sampleRate: 44_100))
    let take = take(studio) { $0.format = other.format }
    turn(take)
    studio.play(3)
    turn(take)
    #expect(take.refusal != nil && !take.isPlaying(at: .now()))
    let played = studio.play(3, like: other)
    turn(take)
    #expect(take.refusal == nil && take.isPlaying(at: .now()))
    take.goOnAir()
    turn(take)
    let taken = taken(take)
    #expect(taken.formats == [other.format] && played.suffix(10) == taken.packets.suffix(10))
  }

  @Test func `a station that was silent for too long plays again with its sound`() throws {
    let studio = try Studio(sampleRate: 44_100)
    let take = take(studio) { ($0.format, $0.silence) = (studio.format, 5) }
    turn(take)
    studio.play(3)
    studio.play(4.5, isSilent: true)
    turn(take)
    #expect(take.isPlaying(at: .now()))
    studio.play(1, isSilent: true)
    turn(take)
    #expect(!take.isPlaying(at: .now()))
    studio.play(1)
    turn(take)
    #expect(!take.isPlaying(at: .now()))
    studio.play(1.5)
    turn(take)
    #expect(take.isPlaying(at: .now()))
    take.goOnAir()
    turn(take)
    // Nothing of the silence is heard.
    #expect((77...98).contains(taken(take).packets.count))
  }

  @Test func `of what comes faster than it is played 30 s are held, and the rest is told`() throws {
    let studio = try Studio(sampleRate: 44_100)
    let take = take(studio) { $0.format = studio.format }
    turn(take)
    studio.play(3)
    take.goOnAir()
    turn(take)
    studio.log.markTitle(Title(text: "Long"))
    studio.play(60)
    turn(take)
    let taken = taken(take)
    #expect((1140...1150).contains(taken.packets.count))
    #expect(taken.titles.map(\.title) == ["Long"])
    #expect(taken.gaps.reduce(0, +) > 30)
  }

  @Test func `a decoder that hangs takes the station off the air`() throws {
    let studio = try Studio(sampleRate: 44_100)
    let take = take(studio)
    turn(take)
    studio.play(3)
    turn(take)
    #expect(take.isPlaying(at: .now()))
    take.giveUp()
    #expect(!take.isPlaying(at: .now()) && take.run(at: .now()) == nil)
  }
}
