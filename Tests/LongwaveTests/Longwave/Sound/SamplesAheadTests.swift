import TestSupport
import Testing
import Wire

@testable import Longwave

struct SamplesAheadTests {
  private static let stereo = AudioFormat(codec: .opus, sampleRate: 1000, channels: 2)
  private static let mono = AudioFormat(codec: .aac, sampleRate: 500, channels: 1)

  private typealias Piece = (samples: [Int16], format: AudioFormat, place: Int, isHeard: Bool)

  private func take(_ ahead: inout SamplesAhead, until due: Double) -> [Piece] {
    var pieces: [Piece] = []
    ahead.pop(until: due) { pieces.append((Array($0), $1, $2, $3)) }
    return pieces
  }

  private func put(
    _ ahead: inout SamplesAhead, _ samples: [Int16], _ format: AudioFormat, at place: Int,
    isHeard: Bool = true
  ) {
    samples.withUnsafeBufferPointer { ahead.put($0, format, at: place, isHeard: isHeard) }
  }

  @Test func `samples come when they are due, each once, in order`() {
    var ahead = SamplesAhead()
    #expect(ahead.isEmpty && take(&ahead, until: 100).isEmpty)
    put(&ahead, Array(0..<400), Self.stereo, at: 10_000)
    #expect(take(&ahead, until: 9.9).isEmpty && !ahead.isEmpty)
    var heard: [Int16] = []
    for due in stride(from: 10.0, through: 10.3, by: 0.015) {
      for piece in take(&ahead, until: due) {
        #expect(piece.place == 10_000 + heard.count / 2 && piece.format == Self.stereo)
        #expect(Double(piece.place + piece.samples.count / 2) < due * 1000 + 1.001)
        heard += piece.samples
      }
    }
    #expect(heard == Array(0..<400) && ahead.isEmpty)
  }

  @Test func `runs keep their format, place and whether they are heard`() {
    var ahead = SamplesAhead()
    put(&ahead, [1, 2, 3, 4], Self.stereo, at: 10_000, isHeard: false)
    put(&ahead, [5, 6, 7], Self.mono, at: 5001)
    let first = take(&ahead, until: 10.001)
    #expect(first.count == 1 && first[0].samples == [1, 2] && !first[0].isHeard)
    let rest = take(&ahead, until: 20)
    #expect(rest.map(\.samples) == [[3, 4], [5, 6, 7]] && rest.map(\.place) == [10_001, 5001])
    #expect(rest.map(\.isHeard) == [false, true] && ahead.isEmpty)
    put(&ahead, [8, 9], Self.stereo, at: 3)
    ahead.clear()
    #expect(ahead.isEmpty && take(&ahead, until: 100).isEmpty)
  }
}
