import Reactor
import Testing
import Wire

@testable import Ingest

/// Sound inputs by ALSA's names, and what the program that reads them says.
@Suite struct SoundInputTests {
  @Test(arguments: ["default", "hw:1,0", "plughw:CARD=Desk,DEV=0", "-x"])
  func `a sound input is written as it was read`(device: String) throws {
    let input = try #require(SoundInput("alsa:\(device)"))
    #expect(input.device == device && input.text == "alsa:\(device)")
  }

  @Test(arguments: [
    "", "alsa:", "alsa:a b", "alsa:a\u{7}", "alsa:\u{E4}", "ALSA:x", "http://alsa:x",
    "alsa:" + String(repeating: "x", count: 257),
  ])
  func `a malformed name is no sound input`(text: String) { #expect(SoundInput(text) == nil) }

  @Test func `arecord is asked for the samples that the encoding reads`() throws {
    let input = try #require(SoundInput("alsa:hw:1,0"))
    var encoding = PCMEncoding()
    #expect(
      input.call(encoding).arguments
        == ["arecord", "-D", "hw:1,0", "-f", "S16_LE", "-r", "44100", "-c", "2", "-t", "raw"])
    (encoding.raw, encoding.rawRate, encoding.rawChannels) = (.f32le, 96_000, 1)
    #expect(
      input.call(encoding).arguments
        == ["arecord", "-D", "hw:1,0", "-f", "FLOAT_LE", "-r", "96000", "-c", "1", "-t", "raw"])
    #expect(SoundInput.encoding(PCMEncoding()).raw == .s16le)
    let other = try #require(SoundInput("alsa:default"))
    #expect(input.call(encoding).excludes(input.call(PCMEncoding())))
    #expect(!input.call(encoding).excludes(other.call(encoding)))
  }

  @Test(arguments: [
    ("arecord: main:831: audio open error: No such file or directory", "there is no such"),
    ("arecord: main:831: audio open error: Device or resource busy", "another program has"),
    ("arecord: main:831: audio open error: Permission denied", "the group audio"),
    ("arecord: set_params:1352: Channels count non available", "another number of channels"),
  ])
  func `an error of arecord is told in words, with the device`(line: String, words: String) throws {
    let input = try #require(SoundInput("alsa:hw:1,0"))
    let told = input.words(
      for: "arecord ended with exit code 1", said: "ALSA lib x.c:1: Cannot open\n\(line)")
    #expect(told.hasPrefix("alsa:hw:1,0: ") && told.contains(words))
    #expect(told.hasSuffix(" (arecord ended with exit code 1)"))
    #expect(input.words(for: "arecord ended", said: "x") == "alsa:hw:1,0: arecord ended")
  }

  @Test func `samples at another rate are a fault`() {
    let line = "Warning: rate is not accurate (requested = 44100Hz, got = 48000Hz)"
    let fault = SoundInput.fault(in: line)
    #expect(fault?.contains("at 48000 Hz, not at 44100; write rate: 48000") == true)
    #expect(SoundInput.fault(in: "Recording raw data 'stdin' : Rate 44100 Hz, Stereo") == nil)
  }
}
