import Testing
import Wire

struct ICYInterleaverTests {
  @Test func `a block is due after every metaint bytes of audio`() {
    var interleaver = ICYInterleaver(metaint: 100)
    #expect(interleaver.isOn)
    #expect(interleaver.untilBlock == 100)
    interleaver.sent(audio: 60)
    #expect(interleaver.untilBlock == 40)
    interleaver.sent(audio: 40)
    #expect(interleaver.untilBlock == 0)
    interleaver.sentBlock()
    #expect(interleaver.untilBlock == 100)
    #expect(interleaver.metaint == 100)
  }

  @Test func `an interleaver without metaint never owes a block`() {
    var interleaver = ICYInterleaver(metaint: 0)
    #expect(!interleaver.isOn)
    #expect(interleaver.untilBlock == .max)
    interleaver.sent(audio: 1_000_000_000_000)
    #expect(interleaver.untilBlock == .max)
  }

  @Test func `an interleaver is small enough for a listener's slot`() {
    #expect(MemoryLayout<ICYInterleaver>.size <= 16)
  }
}
