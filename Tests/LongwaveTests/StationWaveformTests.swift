import TestSupport
import Testing
import Wire

@testable import Longwave
@testable import Timeshift

extension Sample {
  /// Seconds 100 to 160, silent but for one.
  static let waveform = waveform(of: 100...160, loud: [130: 200])

  /// The sound of a window in which nothing is yet.
  static let sound = StationSound(
    log: PacketLog(memoryOnly: LogConfiguration(), at: .now()), delay: .zero,
    format: AudioFormat(codec: .mp3, sampleRate: 44_100, channels: 2),
    makeDecoder: PacketDecoder.make)

  static func waveform(of window: ClosedRange<Double>, loud: [Int64: UInt8]) -> StationWaveform {
    var line = LoudnessLine()
    for (second, loudness) in loud { line.add(loudness, at: second) }
    return StationWaveform(
      LogLoudness(
        oldest: MediaTime(seconds: window.lowerBound), edge: MediaTime(seconds: window.upperBound),
        isKnown: true, line: line), of: "jazz")
  }
}

@Suite struct StationWaveformTests {
  private typealias Points = StationWaveform.Points

  private static let loud = Dictionary(
    uniqueKeysWithValues: (0..<20_000).map { (Int64($0), UInt8(1 + $0 * 7 % 200)) })

  @Test func `with points enough each second has its own`() {
    let points = Sample.waveform.points(from: nil, to: nil, atMost: 1024)
    #expect(points.media == 100 && points.secondsPerPoint == 1 && points.data.count == 60)
    #expect(points.data.firstIndex(of: 200) == 30 && points.data.count { $0 > 0 } == 1)
  }

  @Test func `a point is as loud as its loudest second and begins at a multiple of its length`() {
    let points = Sample.waveform.points(from: 101, to: nil, atMost: 7)
    #expect(points == Points(media: 100, secondsPerPoint: 10, data: [0, 0, 0, 200, 0, 0]))
  }

  @Test(arguments: [1, 2, 3, 10, 500, 1024, 4096])
  func `never more points than were asked for, and all of the part in them`(count: Int) {
    for window in [0.0...0.5, 7.3...7.9, 59...61, 599.5...14_444.4, 12_345...12_346, 0...20_000] {
      let points = Sample.waveform(of: window, loud: Self.loud)
        .points(from: nil, to: nil, atMost: count)
      let end = points.media + points.secondsPerPoint * Int64(points.data.count)
      #expect((1...count).contains(points.data.count), "\(window) \(points.data.count)")
      #expect(points.media % points.secondsPerPoint == 0)
      #expect(Double(points.media) <= window.lowerBound && Double(end) >= window.upperBound)
    }
  }

  @Test func `a window that moves on gives the same points again`() {
    var told: [Int64: UInt8] = [:]
    for second in stride(from: 1000.0, to: 1200, by: 7.7) {
      let waveform = Sample.waveform(of: 0...20_000, loud: Self.loud)
      let points = waveform.points(from: second, to: second + 14_400, atMost: 1024)
      #expect(points.secondsPerPoint == 15)
      for (index, loudness) in points.data.enumerated() {
        let media = points.media + 15 * Int64(index)
        #expect(told[media] ?? loudness == loudness)
        told[media] = loudness
      }
    }
  }

  @Test func `what is outside the window is not told`() {
    let waveform = Sample.waveform(of: 100...160, loud: Self.loud)
    #expect(waveform.points(from: 0, to: 90, atMost: 10).data == [])
    #expect(waveform.points(from: 170, to: 180, atMost: 10).data == [])
    let all = waveform.points(from: 0, to: 1_000_000, atMost: 4096)
    #expect(all.media == 100 && all.data.count == 60)
    let late = waveform.points(from: 155, to: 1_000_000, atMost: 2)
    let loudest = (155..<160).map { Self.loud[$0] ?? 0 }.max()
    #expect(late == Points(media: 155, secondsPerPoint: 5, data: [loudest ?? 0]))
  }
}
