/// Puts packets of audio into pages: each a packet of the log, whole in itself.
///
/// A page has at most a fifth of a second (or one packet), so that listeners join that near to where they want to be.
/// Where it is cut depends on the packets only: who connects anew gets the same pages.
struct OggPacker {
  /// The longest page: what the log takes as one packet.
  static let pageBytesMax = 32 * 1024
  /// The longest packet: the log takes less than 6 s, and a fifth of a second may stand before it.
  static let packetSecondsMax = 5

  private let format: AudioFormat
  private var lacing: [UInt8] = []
  private var body: [UInt8] = []
  private var samples = 0
  private var nominal = 0

  init(_ format: AudioFormat) { self.format = format }

  /// Adds a packet; what is full before or by it goes to `made`. False: the packet is too long for any page.
  mutating func add(
    _ packet: [UInt8], _ length: OggTimer.Length, to made: inout [UInt8],
    _ found: inout [OggDemuxer.Item]
  ) -> Bool {
    let values = OggPageWriter.lacing(packet.count)
    guard OggPage.headBytes + values.count + packet.count <= Self.pageBytesMax,
      length.samples <= Self.packetSecondsMax * format.sampleRate
    else { return false }
    let count = lacing.count + values.count
    if count > OggPage.segmentsMax
      || OggPage.headBytes + count + body.count + packet.count > Self.pageBytesMax
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

  /// Ends the page.
  mutating func flush(to made: inout [UInt8], _ found: inout [OggDemuxer.Item]) {
    guard !lacing.isEmpty else { return }
    let start = made.count
    OggPageWriter.append([], lacing, body, to: &made)
    found.append(
      .packet(
        .init(range: start..<made.count, samples: samples, format: format, bitrate: 0)))
    lacing.removeAll(keepingCapacity: true)
    body.removeAll(keepingCapacity: true)
    (samples, nominal) = (0, 0)
  }
}
