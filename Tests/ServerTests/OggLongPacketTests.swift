import TestSupport
import Testing
import Timeshift
import Wire

@testable import Server

/// FLAC of 24 bit: its frames are longer than a page of Ogg.
@Suite struct OggLongPacketTests {
  /// Two seconds at 96 kHz, as ffmpeg encodes noise: 49 KB a frame in stereo, 98 KB in four channels.
  private func noise(channels: Int) throws -> DemuxedOgg {
    let scratch = TemporaryDirectory()
    let source = (0..<channels).map { "anoisesrc=r=96000:a=0.9:d=2:seed=\($0)[\($0)]" }
    let inputs = (0..<channels).map { "[\($0)]" }.joined()
    let layout = channels == 2 ? "stereo" : "4.0"
    let graph =
      source.joined(separator: ";")
      + ";\(inputs)join=inputs=\(channels):channel_layout=\(layout)"
    let result = try Tool.run(
      [
        "ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", graph, "-c:a", "flac",
        "-sample_fmt", "s32", "-bits_per_raw_sample", "24", "-f", "ogg", "-",
      ], in: scratch)
    return DemuxedOgg(result.output)
  }

  private func append(_ ogg: DemuxedOgg, _ log: PacketLog, turn: () -> Void) {
    log.markHeaders(ogg.headers[0].pages(serial: 7))
    var (sequence, granule): (UInt32, UInt64) = (16, 0)
    for page in ogg.pages {
      var bytes = page.bytes
      granule += UInt64(page.samples)
      var span = bytes.mutableSpan
      sequence += OggPage.stamp(&span, serial: 7, sequence: sequence, granule: granule)
      // By its hash a packet is known after a restart, wherever it stands.
      #expect(packetHash(bytes.span) == packetHash(page.bytes.span))
      log.append(bytes.span, samples: page.samples, format: ogg.headers[0].format)
      log.publish(at: .now())
      turn()
    }
  }

  @Test(arguments: [2, 4], [false, true])
  func `frames longer than a page are served whole, from memory and from the disk`(
    channels: Int, isOnDisk: Bool
  ) async throws {
    let ogg = try noise(channels: channels)
    #expect(ogg.lost.isEmpty)
    let longest = ogg.pages.map(\.bytes.count).max() ?? 0
    #expect(longest > (channels == 2 ? 32 * 1024 : OggPage.bytesMax))
    var window = LogConfiguration(retention: MediaTime(seconds: isOnDisk ? 3600 : 0))
    window.windowBytes = isOnDisk ? 128 * 1024 : 16 << 20
    let disk = isOnDisk ? try LogOnDisk(window) : nil
    let log = disk?.log ?? PacketLog(memoryOnly: window, at: .now())
    append(ogg, log) { disk?.turn() }
    var settings = ListenerSettings()
    settings.metaint = 512
    try await withServer(seconds: 0, isFed: false, settings: settings, log: log) { server in
      let client = try StreamClient(to: server.address, get: "/jazz?burst=60")
      try await client.until("the last page") { client in
        disk?.turn()
        return OggChain(client.body).links.first?.granules.last == UInt64(ogg.samples)
      }
      #expect(OggChain(client.body).problems.isEmpty)
      let played = try Fixtures.decodeOgg(client.body)
      #expect(played.log.isEmpty && played.samples == ogg.samples, "\(played.log)")
      // With a block every 512 bytes, a frame is cut in hundreds of parts.
      let titled = try StreamClient(to: server.address, get: "/jazz?burst=60", titles: true)
      try await titled.until("as much, with blocks in it") { client in
        disk?.turn()
        return client.bodyCount >= ogg.stream().count * 513 / 512
      }
      var deinterleaver = ICYDeinterleaver(metaint: 512)
      var (audio, from): ([UInt8], Int) = ([], 0)
      let body = titled.body
      while from < body.count {
        let next = deinterleaver.next(in: body.span, from: from)
        from = next.end
        if case .audio(let range) = next.piece { audio += body[range] }
      }
      #expect(OggChain(audio).problems.isEmpty)
      #expect(OggChain(audio).links.first?.pages.count ?? 0 >= ogg.pages.count)
    }
  }
}
