/// Puts packets of audio into pages; each page is one packet of the log and complete in itself.
///
/// A page has at most a fifth of a second (or one packet), so that listeners join near the place they ask for. The cuts
/// depend on the packets only, so every connection gets equal pages. A packet too long for one page has several, which
/// are one packet of the log together.
struct OggPacker {
  /// The most bytes of a page with several packets.
  static let pageBytesMax = 32 * 1024
  /// The most bytes of one packet's pages. FLAC of 24 bit has blocks of up to 98 KB in stereo, 83 KB in 5.1 at 48 kHz.
  static let packetBytesMax = 128 * 1024
  /// The longest packet in seconds: the log accepts less than 6 s, and a fifth of a second may stand before the packet.
  static let packetSecondsMax = 5

  let format: AudioFormat
  private var lacing: [UInt8] = []
  private var body: [UInt8] = []
  private var samples = 0
  private var nominal = 0

  init(_ format: AudioFormat) { self.format = format }

  /// Adds a packet, and appends each page that is full to `made`. Returns false if the packet is too long for any page.
  mutating func add(
    _ packet: [UInt8], _ length: OggTimer.Length, to made: inout [UInt8],
    _ found: inout [OggDemuxer.Item]
  ) -> Bool {
    let values = OggPageWriter.lacing(packet.count)
    guard Self.bytes(values.count, packet.count) <= Self.packetBytesMax,
      length.samples <= Self.packetSecondsMax * format.sampleRate
    else { return false }
    let count = lacing.count + values.count
    if count > OggPage.segmentsMax
      || Self.bytes(count, body.count + packet.count) > Self.pageBytesMax
    {
      flush(to: &made, &found)
    }
    lacing += values
    body += packet
    samples += length.samples
    nominal += length.nominal
    if nominal * 5 >= format.sampleRate { flush(to: &made, &found) }
    return true
  }

  /// The bytes of the pages with so many lacing values and so much body.
  private static func bytes(_ lacing: Int, _ body: Int) -> Int {
    let pages = (lacing + OggPage.segmentsMax - 1) / OggPage.segmentsMax
    return pages * OggPage.headBytes + lacing + body
  }

  /// Ends the current page and appends it to `made`.
  mutating func flush(to made: inout [UInt8], _ found: inout [OggDemuxer.Item]) {
    guard !lacing.isEmpty else { return }
    let start = made.count
    OggPageWriter.append(lacing: lacing, body, to: &made)
    found.append(
      .packet(
        .init(range: start..<made.count, samples: samples, format: format, bitrate: 0)))
    lacing.removeAll(keepingCapacity: true)
    body.removeAll(keepingCapacity: true)
    (samples, nominal) = (0, 0)
  }
}
