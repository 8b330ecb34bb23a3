import Audio
import Timeshift
import Wire

/// The packets of a block on their way to samples.
struct RunDecoding {
  typealias Heard = (decoded: [Int16], format: AudioFormat?)

  private let run: PacketRun
  private let codec: Codec
  private let make: PacketDecoder.Make
  private var decoder: (any SoundDecoder)?
  private var pause = RefusalPause()
  private var allowance = SoundAllowance()
  /// Media time in front of the next packet, from the block's beginning.
  private var media = MediaTime.zero
  /// Of each packet so far its samples, and their format; those of the lead-in are left out.
  private(set) var heard: [Heard] = []

  /// - Parameter codec: of packets whose headers do not name it.
  init(_ run: PacketRun, as codec: Codec, _ make: @escaping PacketDecoder.Make) {
    (self.run, self.make) = (run, make)
    // The links of a file may be of several codecs.
    self.codec = OggHeaders.read(pages: run.headers.span)?.headers.format.codec ?? codec
  }

  /// Decodes as many packets as a step may.
  ///
  /// - Returns: whether all are decoded.
  mutating func step() throws(AudioError) -> Bool {
    var budget = StepBudget()
    if decoder == nil, heard.isEmpty { decoder = try make(codec, run.headers) }
    while heard.count < run.packets.count, budget.spendPacket() { try decodeNext() }
    return heard.count == run.packets.count
  }

  private mutating func decodeNext() throws(AudioError) {
    let packet = run.packets[heard.count]
    let isWanted = heard.count >= run.leadIn
    // A damaged packet may have spoiled what a decoder knew.
    if decoder == nil, pause.isOver(at: media) { decoder = try make(codec, run.headers) }
    let decoder = decoder
    var decoded: [Int16] = []
    let seconds = allowance.seconds(for: packet.length + packet.cut)
    let result = run.bytes.withUnsafeBytes { bytes in
      Result { () throws(AudioError) in
        try decoder?.decode(
          UnsafeRawBufferPointer(rebasing: bytes[packet.range]), atMost: seconds
        ) { samples in
          allowance.spend(decoder?.format?.seconds(of: samples.count) ?? 0)
          if isWanted { decoded += samples }
        }
      }
    }
    if case .failure = result {
      pause.refused(at: media)
      self.decoder = nil
    }
    heard.append((decoded, decoder?.format))
    media += packet.length
  }
}
