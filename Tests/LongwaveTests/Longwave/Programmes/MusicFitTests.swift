import Audio
import Media
import Programmes
import Testing
import Wire

@testable import Library
@testable import Longwave

/// How files come into a programme's format.
@Suite struct MusicFitTests {
  private static func format(
    _ codec: Codec, _ rate: Int = 44_100, _ channels: Int = 2
  ) -> AudioFormat { AudioFormat(codec: codec, sampleRate: rate, channels: channels) }

  private static func file(
    _ format: AudioFormat, _ coding: MusicCoding = .packets, seconds: Double = 100
  ) -> MusicFile {
    var file = MusicFile(
      root: "/srv", path: Array("a".utf8),
      identity: .init(device: 0, inode: 0, bytes: 0, modified: 0),
      key: TrackKey(high: 1, low: 1), format: format, seconds: seconds, title: "A")
    file.coding = coding
    return file
  }

  private static let flac = file(format(.flac), .flac)

  @Test func `the format is that of most music, and MP3 where most of it is in no stream`() {
    func format(_ files: MusicFile..., wish: Programme.Format? = nil, log: AudioFormat? = nil)
      -> AudioFormat?
    { MusicFit(wish, log: log, of: files)?.format }
    let (mp3, mono) = (Self.format(.mp3), Self.format(.mp3, 48_000, 1))
    let (opus, aac) = (Self.format(.opus, 48_000), Self.format(.aac))
    #expect(format() == nil)
    #expect(format(Self.flac) == mp3)
    #expect(format(Self.file(mono, seconds: 1), Self.flac) == mono)
    #expect(format(Self.file(opus, seconds: 101), Self.flac) == opus)
    #expect(format(Self.file(opus, seconds: 99), Self.flac) == mp3)
    #expect(format(Self.file(opus, seconds: 150), Self.file(mono, seconds: 60), Self.flac) == mono)
    #expect(format(Self.file(aac), log: mp3) == mp3)
    #expect(format(Self.file(aac), wish: Programme.Format(), log: aac) == mp3)
    let wish = Programme.Format(bitrate: 64, sampleRate: 22_050, isMono: true)
    #expect(format(Self.file(aac), wish: wish) == Self.format(.mp3, 22_050, 1))
  }

  @Test func `what fits is played as it is, everything else is made, but for MP3 alone`() throws {
    let fit = try #require(MusicFit(nil, log: Self.format(.mp3), of: []))
    let made = try #require(MadeFormat(sampleRate: 44_100, channels: 2, bitrate: 192))
    #expect(fit.way(of: Self.file(Self.format(.mp3))) == .asItIs)
    for file in [
      Self.flac, Self.file(Self.format(.mp3, 48_000)), Self.file(Self.format(.mp3, 44_100, 1)),
      Self.file(Self.format(.opus, 48_000)), Self.file(Self.format(.aac), .aac),
      Self.file(Self.format(.flac), .pcm), Self.file(Self.format(.flac), .alac),
    ] { #expect(fit.way(of: file) == .made(made), "\(file.coding) \(file.format)") }
    // Packets of ADTS are no packets of MP4.
    let aac = try #require(MusicFit(nil, log: Self.format(.aac), of: []))
    #expect(aac.made == nil && aac.way(of: Self.file(Self.format(.aac))) == .asItIs)
    for file in [Self.file(Self.format(.aac), .aac), Self.file(Self.format(.mp3)), Self.flac] {
      #expect(aac.way(of: file) == .refused(MusicFit.otherFormat))
    }
    let wish = Programme.Format(bitrate: 128, sampleRate: 44_100)
    let other = try #require(MusicFit(wish, log: nil, of: []))
    #expect(other.made?.bitrate == 128)
    let day = Self.file(Self.format(.flac), .flac, seconds: 86_400)
    guard case .refused(let reason) = fit.way(of: day) else {
      Issue.record("a day of music is made")
      return
    }
    #expect(reason.contains("12 hours"))
  }
}
