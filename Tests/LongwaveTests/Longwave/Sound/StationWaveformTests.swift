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

  static func waveform(
    of window: ClosedRange<Double>, loud: [Int64: UInt8], measured: [Int64: UInt8] = [:],
    isKnown: Bool = true
  ) -> StationWaveform {
    var (line, measuredLine) = (LoudnessLine(), MeasuredLoudness())
    for (second, loudness) in loud { line.add(loudness, at: second) }
    for (second, loudness) in measured { measuredLine.add(loudness, at: second) }
    return StationWaveform(
      LogLoudness(
        oldest: MediaTime(seconds: window.lowerBound), edge: MediaTime(seconds: window.upperBound),
        isKnown: isKnown, line: line, measured: measuredLine), of: "jazz")
  }
}

@Suite struct StationWaveformTests {
  private typealias Points = StationWaveform.Points

  private static let loud = Dictionary(
    uniqueKeysWithValues: (0..<20_000).map { (Int64($0), UInt8(1 + $0 * 7 % 200)) })

  @Test func `a waveform with points enough has one for every second`() {
    let points = Sample.waveform.points(from: nil, to: nil, atMost: 1024)
    #expect(points.media == 100 && points.secondsPerPoint == 1 && points.data.count == 60)
    #expect(points.data.firstIndex(of: 200) == 30 && points.data.count { $0 > 0 } == 1)
  }

  @Test func `a point is as loud as its loudest second and begins at a multiple of its length`() {
    let points = Sample.waveform.points(from: 101, to: nil, atMost: 7)
    #expect(points == Points(media: 100, secondsPerPoint: 10, data: [0, 0, 0, 200, 0, 0]))
  }

  @Test(arguments: [1, 2, 3, 10, 500, 1024, 4096])
  func `a waveform has at most the points asked for, and the whole part in them`(count: Int) {
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

  // MARK: Measured

  private func part(
    _ waveform: StationWaveform, _ from: Double?, _ to: Double?, atMost count: Int = 1024
  ) -> (data: [UInt8], kind: StationWaveform.Kind, measured: Int) {
    let points = waveform.points(from: from, to: to, atMost: count)
    return (points.data, points.kind, points.measured)
  }

  private static let tone = Dictionary(
    uniqueKeysWithValues: (110..<130).map { (Int64($0), UInt8(50)) })

  @Test func `points of measured seconds are measured, the others estimated`() {
    var measured = Self.tone
    measured[120] = 0
    let waveform = Sample.waveform(
      of: 100...160, loud: [105: 200, 115: 220, 120: 210, 140: 200], measured: measured)
    #expect(part(waveform, 110, 130) == ((110..<130).map { $0 == 120 ? 0 : 50 }, .measured, 20))
    #expect(part(waveform, 105, 112) == ([200, 0, 0, 0, 0, 50, 50], .estimate, 2))
    #expect(part(waveform, 100, 110) == ([0, 0, 0, 0, 0, 200, 0, 0, 0, 0], .estimate, 0))
    // Of a point of ten seconds all have to be measured.
    #expect(part(waveform, 100, 160, atMost: 7) == ([200, 50, 50, 0, 200, 0], .estimate, 2))
    #expect(part(waveform, 110, 130, atMost: 3) == ([50, 50], .measured, 2))
    #expect(part(waveform, 100, 160, atMost: 2).measured == 0)
    // One second that is silent by measure alone.
    #expect(part(waveform, 120, 121) == ([0], .measured, 1))
  }

  @Test func `a waveform's ends count the window's own seconds only`() {
    let waveform = Sample.waveform(of: 113.5...124.5, loud: [:], measured: Self.tone)
    #expect(part(waveform, nil, 120, atMost: 3) == ([50, 50], .measured, 2))
    // Of the last second a delayed listener has not heard all.
    #expect(part(waveform, nil, nil) == (Array(repeating: 50, count: 11) + [0], .estimate, 11))
    #expect(part(waveform, nil, nil, atMost: 2) == ([50, 0], .estimate, 1))
    #expect(part(waveform, 130, 140) == ([], .estimate, 0))
  }

  @Test func `a codec that says nothing is known where it is measured`() {
    let waveform = Sample.waveform(
      of: 100...160, loud: [:], measured: Self.tone, isKnown: false)
    #expect(part(waveform, 100, 105) == ([], .none, 0))
    #expect(part(waveform, 108, 112) == ([0, 0, 50, 50], .estimate, 2))
    #expect(part(waveform, 115, 118) == ([50, 50, 50], .measured, 3))
    #expect(part(waveform, 130, 140) == ([], .none, 0))
  }

  @Test func `silence that was measured is not unknown, and all bytes but the softest are told`() {
    for byte in 0...255 {
      let waveform = Sample.waveform(of: 0...3, loud: [1: 7], measured: [1: UInt8(byte)])
      let told = part(waveform, 1, 2)
      #expect(told == ([byte < 2 ? 0 : UInt8(byte)], .measured, 1))
    }
  }

  @Test func `a week of measured seconds loses none between pieces`() {
    let seconds = (0..<20_000).map(Int64.init)
    let measured = Dictionary(uniqueKeysWithValues: seconds.map { ($0, UInt8(2 + $0 % 250)) })
    let waveform = Sample.waveform(of: 0...20_000, loud: [:], measured: measured)
    for count in [1, 7, 100, 4096] {
      #expect(part(waveform, nil, nil, atMost: count).kind == .measured)
    }
    for hole in [0, 1023, 1024, 2047, 10_000, 19_999] as [Int64] {
      var holed = measured
      holed[hole] = nil
      let waveform = Sample.waveform(of: 0...20_000, loud: [:], measured: holed)
      #expect(part(waveform, nil, nil, atMost: 1).measured == 0)
      let far = part(waveform, Double(hole), Double(hole + 1))
      #expect(far == ([0], .estimate, 0))
    }
  }

  @Test func `a waveform outside the window is empty`() {
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
