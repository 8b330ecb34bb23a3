import TestSupport
import Testing

@testable import Wire

struct ICYDeinterleaverTests {
  /// What a stream holds when it is shown in pieces of the given sizes.
  private func take(
    _ stream: [UInt8], metaint: Int, in sizes: [Int]
  ) -> (audio: [UInt8], blocks: [[UInt8]], ends: [Int]) {
    var deinterleaver = ICYDeinterleaver(metaint: metaint)
    var result: (audio: [UInt8], blocks: [[UInt8]], ends: [Int]) = ([], [], [])
    var start = 0
    for size in sizes {
      let shown = Array(stream[start..<(start + size)])
      var index = 0
      while true {
        let (piece, end) = deinterleaver.next(in: shown.span, from: index)
        index = end
        guard let piece else { break }
        switch piece {
        case .audio(let range): result.audio += shown[range]
        case .block(let text):
          result.blocks.append(text)
          result.ends.append(result.audio.count)
        }
      }
      #expect(index == shown.count)
      start += size
    }
    return result
  }

  private let stream: [UInt8] =
    Array(1...10) + [1] + Array("StreamTitle='a';".utf8) + Array(11...20) + [0] + Array(21...30)
    + [2] + Array("StreamTitle='bcd';".utf8) + Array(repeating: 0, count: 14) + [31, 32]

  @Test func `audio and blocks are told apart, and padding is kept off`() {
    let result = take(stream, metaint: 10, in: [stream.count])
    #expect(result.audio == Array(1...32))
    #expect(
      result.blocks == [Array("StreamTitle='a';".utf8), Array("StreamTitle='bcd';".utf8)])
    #expect(result.ends == [10, 30])
  }

  @Test func `a stream split at any two bytes is the same stream`() {
    let whole = take(stream, metaint: 10, in: [stream.count])
    for first in 0...stream.count {
      for second in 0...(stream.count - first) {
        let sizes = [first, second, stream.count - first - second]
        let result = take(stream, metaint: 10, in: sizes)
        #expect(result.audio == whole.audio && result.blocks == whole.blocks)
        #expect(result.ends == whole.ends)
      }
    }
  }

  @Test func `a block split across two reads is one title`() {
    var deinterleaver = ICYDeinterleaver(metaint: 1)
    let first = Array("x\u{1}StreamTit".utf8)
    let second = Array("le='a';".utf8)
    #expect(deinterleaver.next(in: first.span, from: 0).piece == .audio(0..<1))
    #expect(deinterleaver.next(in: first.span, from: 1).piece == nil)
    let (piece, end) = deinterleaver.next(in: second.span, from: 0)
    #expect(piece == .block(Array("StreamTitle='a';".utf8)))
    #expect(end == 7)
  }

  @Test func `the largest block comes through whole`() {
    let text = Array(repeating: UInt8(ascii: "x"), count: 4080)
    let stream = [7] + [255] + text + [8]
    let result = take(stream, metaint: 1, in: [3, 2000, stream.count - 2003])
    #expect(result.audio == [7, 8])
    #expect(result.blocks == [text])
  }

  @Test func `a block of nothing but padding is not reported`() {
    let stream = [7, 1] + Array(repeating: UInt8(0), count: 16) + [8, 0, 9]
    let result = take(stream, metaint: 1, in: [stream.count])
    #expect(result.audio == [7, 8, 9])
    #expect(result.blocks.isEmpty)
  }

  @Test(arguments: [1, 2, 15, 8192, 16_000, 1_048_576])
  func `a stream of any metaint is taken apart`(metaint: Int) {
    var stream: [UInt8] = []
    for _ in 0..<2 {
      stream += Array(repeating: 0xFF, count: metaint)
      stream += ICYBlock.bytes(for: Title(text: "Title"))
    }
    let result = take(stream, metaint: metaint, in: [stream.count])
    #expect(result.audio.count == 2 * metaint)
    #expect(result.blocks.count == 2)
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `the deinterleaver takes apart what the interleaver joined`(seed: UInt64) {
    var random = SplitMix(seed: seed)
    let metaint = Int.random(in: 1...200, using: &random)
    let audio = random.bytes(3000)
    var interleaver = ICYInterleaver(metaint: metaint)
    var stream: [UInt8] = []
    var titles: [Title] = []
    var position = 0
    while position < audio.count {
      let owed = min(Int.random(in: 1...300, using: &random), audio.count - position)
      let room = min(interleaver.untilBlock, owed)
      stream += audio[position..<(position + room)]
      position += room
      interleaver.sent(audio: room)
      if interleaver.untilBlock == 0 {
        if Bool.random(using: &random) {
          titles.append(Title(text: "Title \(titles.count)", url: "http://example.org/"))
          stream += ICYBlock.bytes(for: titles[titles.count - 1])
        } else {
          stream += ICYBlock.empty
        }
        interleaver.sentBlock()
      }
    }
    var sizes: [Int] = []
    var left = stream.count
    while left > 0 {
      sizes.append(min(left, Int.random(in: 1...150, using: &random)))
      left -= sizes[sizes.count - 1]
    }
    let result = take(stream, metaint: metaint, in: sizes)
    #expect(result.audio == audio)
    #expect(result.blocks.map { ICYBlock.parse($0)?.title } == titles.map(\.text))
  }
}
