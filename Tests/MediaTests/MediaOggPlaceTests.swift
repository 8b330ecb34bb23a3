import TestSupport
import Testing
import Wire

@testable import Media

/// Where the reading of a long Ogg file begins.
@Suite struct MediaOggPlaceTests {
  private struct Heard: Equatable {
    var before: Int
    var body: [UInt8]
  }

  /// The packets of a stream without what only their places in it say, and how much is heard before each.
  private func packets(_ bytes: [UInt8], from first: Int = 0) -> [Heard] {
    var (demuxer, made) = (OggDemuxer(), [UInt8]())
    var (place, heard, packets) = (0, first, [Heard]())
    while let found = demuxer.next(in: bytes.span, from: place, atEnd: true, into: &made) {
      place = found.end
      for case .packet(let packet) in found.items {
        packets.append(Heard(before: heard, body: Array(made[packet.range])))
        heard += packet.heard
      }
      made.removeAll()
    }
    return packets
  }

  @Test(arguments: ["libopus", "libvorbis", "flac"], [0.5, 20, 61, 118.5])
  func `a page before a sample is found, and how much is heard before it`(
    _ encoder: String, _ seconds: Double
  ) throws {
    let folder = TemporaryDirectory()
    let bytes = try ToneFile(["-c:a", encoder], "ogg", 48_000, 2).bytes(seconds: 120)
    folder.write("a.ogg", bytes)
    let file = try MediaFolder.open("a.ogg", in: folder.path)
    let sample = UInt64(seconds * 48_000)
    let found = try file.oggPlace(before: sample)
    // What is near is read from the beginning.
    let share = Double(bytes.count) / 120 / 48_000
    guard let place = found else {
      #expect(Double(sample) * share < 4 * Double(OggPage.bytesMax))
      return
    }
    #expect(seconds > 1)
    #expect(place.samples <= sample && place.page >= place.headers.upperBound)
    // Little is read in vain.
    #expect(Double(sample - place.samples) * share < 4 * Double(OggPage.bytesMax))
    let joined = Array(bytes[..<Int(place.headers.upperBound)]) + bytes[Int(place.page)...]
    let (whole, rest) = (packets(bytes), packets(joined, from: Int(place.samples)))
    #expect(!rest.isEmpty && Array(whole.suffix(rest.count)) == rest)
  }

  @Test func `a chain, and a file of garbage, are read from their beginning`() throws {
    let folder = TemporaryDirectory()
    let one = try ToneFile(["-c:a", "libvorbis"], "ogg", 48_000, 2).bytes(seconds: 40)
    let other = try ToneFile(["-c:a", "libvorbis", "-serial_offset", "77"], "ogg", 48_000, 2)
      .bytes(seconds: 40)
    folder.write("chain.ogg", one + other)
    folder.write("twice.ogg", one + one)
    // A beginning of noise makes the file's bit rate look higher than it is.
    let noise = "aeval='if(lt(t,6),2*random(0)-1,val(0))':c=same"
    // Without it each file gets a serial number of its own.
    let vorbis = ["-c:a", "libvorbis", "-q:a", "5", "-fflags", "+bitexact"]
    folder.write(
      "loud.ogg",
      try ToneFile(["-af", noise] + vorbis, "ogg", 48_000, 2).bytes(seconds: 100)
        + ToneFile(vorbis, "ogg", 48_000, 2).bytes(seconds: 150))
    var garbage = one
    for index in 20_000..<garbage.count { garbage[index] = UInt8(truncatingIfNeeded: index) }
    folder.write("garbage.ogg", garbage)
    for name in ["chain.ogg", "twice.ogg", "loud.ogg", "garbage.ogg"] {
      let file = try MediaFolder.open(name, in: folder.path)
      #expect(try file.oggPlace(before: 30 * 48_000) == nil, "\(name)")
    }
  }
}
