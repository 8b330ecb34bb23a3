import Foundation
import Testing

@testable import Longwave

@Suite struct PassedAudioTests {
  private static let hour: Int64 = 3_600_000

  @Test func `what is a day old does not count, nor what a clock puts in the future`() {
    var audio = PassedAudio()
    #expect(audio.share(at: 0) == nil)
    audio.add(own: 0, of: 3600, at: 1000 * Self.hour)
    audio.add(own: 1800, of: 1800, at: 1001 * Self.hour)
    audio.add(own: 1800, of: 1800, at: 1001 * Self.hour + 5)
    #expect(audio.share(at: 1001 * Self.hour) == 0.5)
    #expect(audio.share(at: 1023 * Self.hour) == 0.5)
    #expect(audio.share(at: 1024 * Self.hour) == 1)
    #expect(audio.share(at: 1025 * Self.hour) == nil && audio.share(at: 1000 * Self.hour) == 0)
    audio.add(own: 0, of: 10, at: 900 * Self.hour)
    #expect(audio.share(at: 900 * Self.hour) == 0)
  }

  @Test func `it is kept with the programme, and whatever a disk says is a part`() throws {
    var memory = ProgrammeMemory(seed: 1)
    memory.passed = PassedAudio()
    memory.passed?.add(own: 3, of: 4, at: 7 * Self.hour)
    #expect(ProgrammeMemory(text: memory.text)?.passed?.share(at: 7 * Self.hour) == 0.75)
    let odd =
      #"{"hours":[{"hour":7,"own":1e300,"all":-5},{"hour":7,"own":9,"all":8},"#
      + #"{"hour":-9223372036854775808,"own":0,"all":1}]}"#
    let audio = try JSONDecoder().decode(PassedAudio.self, from: Data(odd.utf8))
    #expect(audio.share(at: 7 * Self.hour) == 1 && audio.share(at: .min) == nil)
  }
}
