import Testing
import Wire

@Suite struct ShownFormatTests {
  private typealias Announcement = ShownFormat.Announcement

  private func shown(
    _ codec: Codec, _ rate: Int, _ channels: Int, _ type: String?, rate announcedRate: Int? = nil,
    channels announcedChannels: Int? = nil
  ) -> ShownFormat {
    ShownFormat(
      AudioFormat(codec: codec, sampleRate: rate, channels: channels),
      announced: Announcement(
        mediaType: type, sampleRate: announcedRate, channels: announcedChannels))
  }

  private func isShown(_ format: ShownFormat, _ type: String, _ rate: Int, _ channels: Int) -> Bool
  {
    format.mediaType == type && format.sampleRate == rate && format.channels == channels
  }

  @Test func `High-Efficiency AAC is told with the sample rate and the channels that are heard`() {
    #expect(isShown(shown(.aac, 22_050, 2, "audio/aacp"), "audio/aacp", 44_100, 2))
    #expect(isShown(shown(.aac, 24_000, 2, "audio/aacp", rate: 24_000), "audio/aacp", 48_000, 2))
    #expect(isShown(shown(.aac, 22_050, 2, "audio/aac", rate: 44_100), "audio/aacp", 44_100, 2))
    #expect(isShown(shown(.aac, 32_000, 2, nil, rate: 64_000), "audio/aacp", 64_000, 2))
    // Parametric stereo: a core of one channel.
    let stereo = shown(.aac, 22_050, 1, "audio/aacp", rate: 44_100, channels: 2)
    #expect(isShown(stereo, "audio/aacp", 44_100, 2))
    #expect(isShown(shown(.aac, 22_050, 1, "audio/aacp"), "audio/aacp", 44_100, 1))
    #expect(isShown(shown(.aac, 22_050, 2, "audio/aacp", channels: 1), "audio/aacp", 44_100, 2))
  }

  @Test func `Ogg is told under the name that the upstream gives it, to those who ask for that`() {
    for (type, announced) in [
      ("application/ogg", "application/ogg"), ("audio/ogg", "audio/ogg"), (nil, "audio/ogg"),
      ("audio/mpeg", "audio/ogg"),
    ] {
      let format = shown(.vorbis, 44_100, 2, type)
      #expect(format.mediaType == "audio/ogg" && format.announcedType == announced)
    }
    #expect(shown(.mp3, 44_100, 2, "application/ogg").announcedType == "audio/mpeg")
    #expect(shown(.aac, 22_050, 2, "audio/aacp").announcedType == "audio/aacp")
  }

  @Test func `plain AAC is told as its frames say, under the name that the upstream gives it`() {
    #expect(isShown(shown(.aac, 44_100, 2, "audio/aac"), "audio/aac", 44_100, 2))
    #expect(isShown(shown(.aac, 44_100, 2, "audio/aacp"), "audio/aacp", 44_100, 2))
    #expect(isShown(shown(.aac, 44_100, 1, "audio/aacp", channels: 2), "audio/aacp", 44_100, 1))
    #expect(isShown(shown(.aac, 22_050, 2, "audio/aac"), "audio/aac", 22_050, 2))
    #expect(isShown(shown(.aac, 22_050, 2, nil, rate: 22_050), "audio/aac", 22_050, 2))
  }

  @Test func `MP3 and Opus are shown as their packets say, whatever is announced`() {
    #expect(
      isShown(
        shown(.mp3, 22_050, 1, "audio/aacp", rate: 44_100, channels: 2), "audio/mpeg", 22_050, 1))
    #expect(isShown(shown(.opus, 48_000, 2, "audio/aacp", rate: 96_000), "audio/ogg", 48_000, 2))
  }
}
